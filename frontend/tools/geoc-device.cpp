// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/tools/geoc-device.h"
#include "lowering/gpu/DevicePipeline.h"
#include "lowering/gpu/Ptxas.h"
#include "lowering/gpu/Resources.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace geo;
using namespace geo::tools;

std::optional<DeviceOutput> tools::parseDeviceOutput(StringRef name) {
  return llvm::StringSwitch<std::optional<DeviceOutput>>(name)
      .Case("gpu", DeviceOutput::gpu)
      .Case("nvvm", DeviceOutput::nvvm)
      .Case("ptx", DeviceOutput::ptx)
      .Case("cubin", DeviceOutput::cubin)
      .Case("resources", DeviceOutput::resources)
      .Default(std::nullopt);
}

LogicalResult tools::emitDevice(ModuleOp module, const DeviceRequest &request,
                                std::string &result, std::string &message) {
  DeviceOutput output = request.output;
  if (output == DeviceOutput::gpu || output == DeviceOutput::nvvm) {
    llvm::raw_string_ostream stream(result);
    module->print(stream);
    return success();
  }
  std::string missing;
  FailureOr<std::string> ptx =
      emitPtx(module, request.target, findLibdevice(request.cudaHome), missing);
  if (failed(ptx))
    return failure();
  result = *ptx;
  if (!missing.empty()) {
    message = "expects NVIDIA's libdevice for the function " + missing +
              ", but got none: name its folder by --cuda-home or CUDA_HOME";
    return failure();
  }
  if (output == DeviceOutput::ptx)
    return success();
  FailureOr<Ptxas> ptxas = Ptxas::find(request.cudaHome, message);
  if (failed(ptxas))
    return failure();
  FailureOr<Ptxas::Output> assembled =
      ptxas->assemble(*ptx, request.target.name, message);
  if (failed(assembled))
    return failure();
  result = output == DeviceOutput::cubin
               ? std::move(assembled->cubin)
               : printResources(
                     readResources(module, assembled->log, request.target),
                     request.target);
  return success();
}
