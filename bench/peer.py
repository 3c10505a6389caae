#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one peer for bench.py, with the peer's own code where it has some.

usage: peer.py {torch,jax,gemm} {step,generate,evaluate} --peers DIR [..]

--check computes the loss of what `rilm bench ... --save FILE` wrote. Prints one
JSON object: loss, or min_ms and cpu_per_wall.
"""
import argparse
import contextlib
import io
import json
import os
import pathlib
import struct
import sys
import time

import numpy as np

DTYPES = {"F32": np.float32, "F64": np.float64, "I32": np.int32}


def load(path):
    """Tensors of a safetensors file."""
    data = pathlib.Path(path).read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    tensors = {}
    for name, entry in json.loads(data[8 : 8 + size]).items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        flat = np.frombuffer(data[8 + size + begin : 8 + size + end], DTYPES[entry["dtype"]])
        tensors[name] = flat.reshape(entry["shape"]).copy()
    return tensors


def weights(tensors):
    """One matrix of (state, word), as the peers have it."""
    return np.concatenate([tensors["Wh"], tensors["We"]], 1)


def torch_model(options, tensors):
    import torch
    import torch_models

    vocab, dim = tensors["E"].shape
    model = torch_models.RiLM(vocab, dim, options.model)
    with torch.no_grad():
        model.E.copy_(torch.from_numpy(tensors["E"]))
        model.root.copy_(torch.from_numpy(tensors["root"].reshape(-1)))
        model.phi.weight.copy_(torch.from_numpy(weights(tensors)))
        model.phi.bias.copy_(torch.from_numpy(tensors["b"]))
        if "s" in tensors:
            model.s.fill_(float(tensors["s"]))
    return model


def torch_loss(model, ids, first):
    """Sum of the losses of rows of words, and how many there are."""
    import torch.nn.functional as F

    given, wanted = (ids, ids) if first else (ids[:, :-1], ids[:, 1:])
    total = F.cross_entropy(model.logits(given, first), wanted.reshape(-1), reduction="sum")
    return total.item(), wanted.numel()


def windows(ids, context):
    count = (len(ids) - 1) // context
    return np.stack([ids[i * context : i * context + context + 1] for i in range(count)])


def torch_text(options, tensors, model):
    """The mean loss of a text in windows."""
    import torch

    rows = torch.from_numpy(windows(tensors["ids"], options.context)).long()
    total = count = 0
    with torch.no_grad():
        for part in rows.split(options.batch):
            loss, words = torch_loss(model, part, False)
            total, count = total + loss, count + words
    return total / count


def torch_check(options, tensors):
    import torch

    model = torch_model(options, tensors)
    if options.what == "evaluate":
        return torch_text(options, tensors, model)
    first = options.what == "generate"
    ids = tensors["ids"][None] if first else tensors["ids"].T
    if first:
        model.k = 0
    with torch.no_grad():
        loss, count = torch_loss(model, torch.from_numpy(ids.copy()).long(), first)
    return loss / count


def jax_check(options, tensors):
    import jax.numpy as jnp
    import jax_rilm

    names = {"E": tensors["E"], "root": tensors["root"].reshape(-1), "W": weights(tensors), "b": tensors["b"]}
    p = {name: jnp.asarray(value) for name, value in names.items()}
    p["s"] = jnp.float32(tensors.get("s", 1))
    return float(jax_rilm.loss(p, jnp.asarray(tensors["ids"].T), options.model, 1.0, 8))


def of_script(module, arguments):
    """The JSON that a peer's main program prints."""
    sys.argv = [module.__name__, *map(str, arguments)]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        module.main()
    return json.loads(printed.getvalue().strip().splitlines()[-1])


def time_calls(repeat, work):
    work()
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        work()
        times.append(1e3 * (time.perf_counter() - begin))
    return min(times)


def gemms(options):
    """The products of a step: three of the decoder, and the recurrence's."""
    import torch

    torch.set_num_threads(options.threads)
    rows, vocab, dim = options.batch * options.context, options.vocab, options.dim
    states, words, logits = torch.randn(rows, dim), torch.randn(vocab, dim), torch.randn(rows, vocab)
    one, square = torch.randn(options.batch, dim), torch.randn(dim, dim)
    total = 0.0
    begin, cpu = time.perf_counter(), time.process_time()
    # (times, left, right): forward and gradients of the decoder, steps both
    # ways, the weights' gradient, the words' part of a step both ways.
    for count, left, right in (
        (1, states, words.T),
        (1, logits, words),
        (1, logits.T, states),
        (2 * options.context, one, square),
        (1, states.T, states),
        (2, words, square),
        (1, words.T, words),
    ):
        total += count * time_calls(options.repeat, lambda: torch.mm(left, right))
    share = (time.process_time() - cpu) / (time.perf_counter() - begin)
    return {"min_ms": total, "cpu_per_wall": share}


def measure(options, tensors):
    sizes = ["--V", options.vocab, "--d", options.dim, "--T", options.context, "--B", options.batch]
    if options.engine == "gemm":
        return gemms(options)
    if options.engine == "jax":
        import jax_rilm

        return of_script(jax_rilm, ["--model", options.model, "--bench", options.repeat, *sizes])
    import torch
    import torch_models

    common = ["--model", options.model, "--threads", options.threads, *sizes]
    if options.what == "step":
        peak = ["--peak"] if options.peak else []
        return of_script(torch_models, [*common, "--bench", options.repeat, *peak])
    if options.what == "generate":
        return of_script(torch_models, [*common, "--generate", options.repeat])
    torch.set_num_threads(options.threads)
    model = torch_model(options, tensors)
    return {"min_ms": time_calls(options.repeat, lambda: torch_text(options, tensors, model))}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("engine", choices=["torch", "jax", "gemm"])
    parser.add_argument("what", choices=["step", "generate", "evaluate"])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--peak", action="store_true")
    parser.add_argument("--peers", required=True)
    parser.add_argument("--saved")
    parser.add_argument("--model", default="hyp")
    for name, value in (("vocab", 2000), ("dim", 128), ("context", 64), ("batch", 128)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    sys.path.insert(0, options.peers)
    tensors = load(options.saved) if options.saved else {}
    if options.check:
        check = jax_check if options.engine == "jax" else torch_check
        print(json.dumps({"loss": check(options, tensors)}))
        return
    begin, cpu = time.perf_counter(), time.process_time()
    row = measure(options, tensors)
    # The peers' own programs do not say: their set-up counts, too.
    row.setdefault("cpu_per_wall", (time.process_time() - cpu) / (time.perf_counter() - begin))
    print(json.dumps(row))


if __name__ == "__main__":
    main()
