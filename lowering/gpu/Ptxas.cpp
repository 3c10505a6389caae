// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/gpu/Ptxas.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include <cstdlib>

using namespace mlir;
using namespace geo;

/// The first release that knows sm_100a, and that the kernels are tested with.
static constexpr int leastRelease = 13;

static std::string readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

bool Ptxas::run(ArrayRef<StringRef> arguments, std::string &output) const {
  SmallString<128> log;
  if (llvm::sys::fs::createTemporaryFile("geoc-ptxas", "log", log)) {
    output = "no temporary file can be made";
    return false;
  }
  llvm::FileRemover remover(log);
  SmallVector<StringRef> all = {path};
  all.append(arguments.begin(), arguments.end());
  std::string error;
  int code = llvm::sys::ExecuteAndWait(
      path, all, std::nullopt, {StringRef(), StringRef(log), StringRef(log)},
      /*SecondsToWait=*/0, /*MemoryLimit=*/0, &error);
  output = error.empty() ? readFile(log) : error;
  return code == 0;
}

static std::string getHome(StringRef cudaHome) {
  const char *variable = std::getenv("CUDA_HOME");
  return cudaHome.empty() && variable ? variable : cudaHome.str();
}

std::string geo::findLibdevice(StringRef cudaHome) {
  SmallVector<std::string> homes = {getHome(cudaHome)};
  if (auto ptxas = llvm::sys::findProgramByName("ptxas");
      ptxas && cudaHome.empty())
    homes.push_back(
        llvm::sys::path::parent_path(llvm::sys::path::parent_path(*ptxas))
            .str());
  for (StringRef home : homes) {
    SmallString<128> path(home);
    llvm::sys::path::append(path, "nvvm", "libdevice", "libdevice.10.bc");
    if (!home.empty() && llvm::sys::fs::exists(path))
      return path.str().str();
  }
  return "";
}

FailureOr<Ptxas> Ptxas::find(StringRef cudaHome, std::string &message) {
  std::string home = getHome(cudaHome);
  SmallString<128> path(home);
  llvm::sys::path::append(path, "bin", "ptxas");
  if (home.empty() || (cudaHome.empty() && !llvm::sys::fs::can_execute(path))) {
    auto found = llvm::sys::findProgramByName("ptxas");
    path = found ? *found : "";
  }
  if (path.empty() || !llvm::sys::fs::can_execute(path)) {
    message = "expects NVIDIA's assembler ptxas for cubins, but got none: name "
              "its folder by --cuda-home or CUDA_HOME, or bring it into PATH";
    return failure();
  }
  Ptxas ptxas(std::string(path.str()));
  std::string version;
  SmallVector<StringRef> matches;
  int release = 0;
  if (!ptxas.run({"--version"}, version) ||
      !llvm::Regex("release ([0-9]+)\\.").match(version, &matches) ||
      matches[1].getAsInteger(10, release) || release < leastRelease) {
    message = (llvm::Twine("expects ptxas of CUDA ") +
               llvm::Twine(leastRelease) + ".0 or newer, but got " + path +
               (release ? " of CUDA " + llvm::Twine(release) : "") +
               ": name another by --cuda-home or CUDA_HOME")
                  .str();
    return failure();
  }
  return ptxas;
}

FailureOr<Ptxas::Output> Ptxas::assemble(StringRef ptx, StringRef chip,
                                         std::string &message) const {
  SmallString<128> source, cubin;
  if (llvm::sys::fs::createTemporaryFile("geoc", "ptx", source) ||
      llvm::sys::fs::createTemporaryFile("geoc", "cubin", cubin)) {
    message = "expects room for temporary files, but got none";
    return failure();
  }
  llvm::FileRemover removeSource(source), removeCubin(cubin);
  {
    std::error_code error;
    llvm::raw_fd_ostream stream(source, error);
    stream << ptx;
    stream.close();
    if (error || stream.has_error()) {
      stream.clear_error();
      message = "expects room for temporary files, but got none";
      return failure();
    }
  }
  Output output;
  std::string arch = ("-arch=" + chip).str();
  if (!run({"-v", "--warn-on-spills", arch, source, "-o", cubin}, output.log)) {
    message = "expects PTX that ptxas takes, but got: " +
              StringRef(output.log).trim().str();
    return failure();
  }
  if (llvm::Regex("C75[0-9][0-9]").match(output.log)) {
    message = "expects kernels without instructions that ptxas serializes, but "
              "got: " +
              StringRef(output.log).trim().str();
    return failure();
  }
  output.cubin = readFile(cubin);
  return output;
}
