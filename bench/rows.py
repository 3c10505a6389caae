# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is measured: rows of runs that take turns, and what follows from them."""
import dataclasses
import pathlib
import tempfile
import typing

from engines import SHARED, check_agreement

LARGE = ("--vocab", 33278)


@dataclasses.dataclass
class Measure:
    """A figure with a bar. at_most: it is to be no more than the bar."""

    name: str
    value: float
    bar: float
    aim: float
    at_most: bool = False

    def held(self, limit):
        return self.value <= limit if self.at_most else self.value >= limit

    def to_json(self):
        return {
            "name": self.name,
            "value": float(f"{self.value:.4g}"),
            "bar": self.bar,
            "aim": self.aim,
            "at_most": self.at_most,
            "held": self.held(self.bar),
            "aim_held": self.held(self.aim),
        }


@dataclasses.dataclass
class Row:
    """runs: engine -> a call that gives its JSON. check: comes once before them,
    and raises Failed unless the engines agree. measures: of the best run of each engine."""

    name: str
    runs: typing.Dict[str, typing.Callable]
    check: typing.Callable
    measures: typing.Callable
    key: str = "min_ms"


def agreement(engines, peers, what, ours, theirs):
    """A check that Geoc and its peers compute one loss from one file."""

    def check():
        with tempfile.TemporaryDirectory() as folder:
            saved = pathlib.Path(folder) / "saved.safetensors"
            loss = engines.geoc(what, "--save", saved, *ours)["loss"]
            kind = "evaluate" if what == "eval" else what
            for name in peers:
                row = engines.peer(name, kind, "--check", "--saved", saved, *theirs)
                check_agreement(name, loss, row["loss"])

    return check


def no_check():
    """For rows of Geoc alone."""


def ratios(limits, divisor="geoc"):
    """Measures `peer / geoc` for those peers that ran."""

    def measures(best):
        return [
            Measure(f"{name} / {divisor}", best[name] / best[divisor], bar, aim)
            for name, (bar, aim) in limits.items()
            if name in best and divisor in best
        ]

    return measures


def step_rows(engines, repeat, flags):
    limits = {
        "hyp": ({"jax": (4, 7), "torch": (8, 15)}, (1.8, 1.3)),
        "flat": ({"jax": (2, 3.5), "torch": (4, 8)}, (1.4, 1.1)),
    }
    for model, (peers, products) in limits.items():
        found = [name for name in peers if engines.found[name]]
        common = ["--model", model]
        timed = [*common, "--repeat", repeat]
        runs = {"geoc": lambda t=timed: engines.geoc("step", *t, *flags)}
        for name in [*found, *(["gemm"] if engines.found["gemm"] else [])]:
            runs[name] = lambda n=name, t=timed: engines.peer(n, "step", *t)
        check = agreement(engines, found, "step", [*common, "--repeat", 1, *flags], common)

        def measures(best, peers=peers, products=products):
            found = ratios(peers)(best)
            if "gemm" in best and "geoc" in best:
                found.append(Measure("geoc / GEMMs", best["geoc"] / best["gemm"], *products, True))
            return found

        yield Row(f"step-{model}", runs, check, measures)


def thread_rows(engines, repeat, flags):
    for model in ("hyp", "flat"):
        runs = {
            f"{n} threads": lambda m=model, n=n: engines.geoc(
                "step", "--model", m, "--threads", n, "--repeat", repeat, *flags
            )
            for n in (1, 2)
        }
        yield Row(
            f"threads-{model}",
            runs,
            no_check,
            lambda best: [
                Measure("1 thread / 2 threads", best["1 threads"] / best["2 threads"], 1.7, 1.9)
            ],
        )


def peak_rows(engines, repeat, flags):
    common = ["--model", "hyp", *LARGE, "--batch", 32]
    timed = [*common, "--repeat", 1]
    runs = {"geoc": lambda: engines.geoc("step", "--peak", *timed, *flags)}

    def torch():
        row = engines.peer("torch", "step", "--peak", *timed)
        # Adam's state, which torch makes in the first step.
        row["peak_bytes"] -= 2 * 4 * (33278 * 128 + 2 * 128 * 128 + 2 * 128 + 1)
        return row

    if engines.found["torch"]:
        runs["torch"] = torch
    check = agreement(
        engines, [n for n in runs if n != "geoc"], "step", [*timed, *flags], common
    )

    def measures(best):
        return [
            Measure("torch / geoc, bytes", m.value, m.bar, m.aim)
            for m in ratios({"torch": (10, 50)})(best)
        ]

    yield Row("peak", runs, check, measures, "peak_bytes")


def first_step_rows(engines, repeat, flags):
    cache = tempfile.TemporaryDirectory()

    def start(context, warm):
        def run():
            common = ["--model", "hyp", "--context", context, "--repeat", 1, *flags]
            if warm:
                return engines.geoc("step", *common, environment={"GEOC_CACHE": cache.name})
            with tempfile.TemporaryDirectory() as empty:
                return engines.geoc("step", *common, environment={"GEOC_CACHE": empty})

        return run

    def fill_cache():
        start(64, True)()

    def measures(best):
        return [
            Measure("cold s", best["cold"], 3, 2, True),
            Measure("warm s", best["warm"], 0.3, 0.1, True),
        ]

    runs = {kind: start(64, kind == "warm") for kind in ("cold", "warm")}
    yield Row("first-step", runs, fill_cache, measures, "first_step_s")

    # The first step of a longer text takes longer itself: compare the compiler.
    yield Row(
        "compile",
        {f"T={context}": start(context, False) for context in (64, 512)},
        no_check,
        lambda best: [Measure("T=512 / T=64", best["T=512"] / best["T=64"], 1.1, 1.1, True)],
        "compile_s",
    )


def generate_rows(engines, repeat, flags):
    for model in ("flat", "hyp"):
        common = ["--model", model, *LARGE, "--threads", 1]

        def geoc(common=common):
            return engines.geoc("generate", *common, "--tokens", 100)

        def read(common=common):
            row = engines.geoc("generate", *common, "--tokens", 10)
            return {"min_ms": row["read_ms"], "cpu_per_wall": row["cpu_per_wall"]}

        runs = {"geoc": geoc, "reading E": read}
        if engines.found["torch"]:
            runs["torch"] = lambda c=common: engines.peer("torch", "generate", *c, "--repeat", 100)

        def measures(best):
            return [
                *ratios({"torch": (8, 15)})(best),
                Measure("geoc / reading E", best["geoc"] / best["reading E"], 3, 3, True),
            ]

        found = [n for n in runs if n == "torch"]
        ours = [*common, "--tokens", 50]
        yield Row(
            f"generate-{model}", runs, agreement(engines, found, "generate", ours, common), measures
        )


def evaluate_rows(engines, repeat, flags):
    corpus = SHARED / "data" / "wikitext-2"
    if not corpus.exists():
        return
    for model in ("hyp", "flat"):
        ours = ["--model", model, "--corpus", corpus, "--repeat", 1]
        theirs = ["--model", model, "--repeat", 1]
        folder = tempfile.TemporaryDirectory()
        saved = pathlib.Path(folder.name) / "saved.safetensors"

        def geoc(o=ours, saved=saved, folder=folder):
            return engines.geoc("eval", *o, "--save", saved)

        runs = {"geoc": geoc}
        if engines.found["torch"]:
            runs["torch"] = lambda t=theirs, s=saved: engines.peer(
                "torch", "evaluate", "--saved", s, *t
            )
        check = agreement(engines, [n for n in runs if n == "torch"], "eval", ours, theirs)
        yield Row(f"evaluate-{model}", runs, check, ratios({"torch": (6, 12)}))


def remainder_rows(engines, repeat, flags):
    runs = {
        f"V={v}": lambda v=v: engines.geoc(
            "step", "--model", "hyp", "--vocab", v, "--repeat", repeat, *flags
        )
        for v in (1999, 2000)
    }
    yield Row(
        "remainder",
        runs,
        no_check,
        lambda best: [
            Measure(
                "per word, V=1999 / V=2000",
                best["V=1999"] / 1999 / (best["V=2000"] / 2000),
                1.1,
                1.1,
                True,
            )
        ],
    )


GROUPS = {
    "step": step_rows,
    "threads": thread_rows,
    "peak": peak_rows,
    "first-step": first_step_rows,
    "generate": generate_rows,
    "evaluate": evaluate_rows,
    "remainder": remainder_rows,
}
