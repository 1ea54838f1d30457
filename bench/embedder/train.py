"""Train the weights: `python -m bench.embedder.train --pairs FILE --out FILE [--resume FILE]`.

1. The most frequent words get a row each; shared rows, by prefix, stand for all others.
2. Rows start from a truncated SVD (LSA) of the tf-idf matrix of the training texts.
3. Symmetric InfoNCE over blocks of one project (hard negatives); a word that question and code share is
   hidden from the code now and then, so that meaning is learned and not only spelling.
4. int8 rows, and a weight of each row for questions and one for code.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from pathlib import Path

import attrs
import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from bench.embedder.bags import Bags, bags, vocabulary
from bench.embedder.pairs import is_held_out

_OPENINGS = [
    "where do we",
    "how do we",
    "where is the code that",
    "function to",
    "find the code which",
    "how to",
    "code that",
    "what",
    "where does it",
    "which function is used to",
    "method that",
    "add",
    "fix",
    "support",
    "allow",
    "why does",
]
"""Put in front of a fifth of the questions."""
_TEMPERATURE = 0.05
_N_LSA = 120_000
_RARE = 500.0
"""A row of a word in so many texts may move half as far from its start as a frequent one."""
_QUESTION_DROP = 0.07


@attrs.frozen
class Plan:
    """What can be chosen."""

    n_words: int = 32_000
    n_shared: int = 4_096
    dims: int = 256
    epochs: float = 2.0
    batch: int = 2048
    block: int = 128
    rate: float = 4e-3
    hide: float = 0.3
    drop: float = 0.25
    seed: int = 1


@attrs.frozen(eq=False)
class Data:
    """The training texts as bags."""

    keys: NDArray[np.uint32]
    questions: Bags
    codes: Bags
    openings: Bags
    projects: NDArray[np.int64]
    n_texts: NDArray[np.int64]
    """How many texts hold each row."""
    same: NDArray[np.int64]
    """Equal numbers for equal questions, which are no negatives of one another."""


class Net(torch.nn.Module):
    """Rows that start somewhere and move away, rare ones less far; log weights for either side."""

    def __init__(self, start: NDArray[np.float32], weights: NDArray[np.float32], reach: NDArray[np.float32]):
        super().__init__()
        self.register_buffer("start", torch.tensor(start))
        self.register_buffer("reach", torch.tensor(reach)[:, None])
        self.moved = torch.nn.Parameter(torch.zeros(start.shape))
        self.question = torch.nn.Parameter(torch.tensor(weights[0]))
        self.code = torch.nn.Parameter(torch.tensor(weights[1]))

    def rows(self) -> torch.Tensor:
        """Return the rows as they are now."""
        return self.start + self.reach * self.moved

    def side(self, rows: torch.Tensor, log_weights: torch.Tensor, bag: Bag) -> torch.Tensor:
        """Return the vectors of one side's texts."""
        text, row, count, n_texts = bag
        starts = torch.from_numpy(np.searchsorted(text, np.arange(n_texts)))
        index = torch.from_numpy(row)
        weight = log_weights[index].exp() * torch.from_numpy(count)
        summed = functional.embedding_bag(index, rows, starts, mode="sum", per_sample_weights=weight)
        return functional.normalize(summed, dim=1)


Bag = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32], int]


def read_data(path: Path, plan: Plan) -> Data:
    """Read pairs and count their words; projects that are held out are left out."""
    pairs = [pair for line in path.open() if not is_held_out((pair := json.loads(line))["project"])]
    pairs.sort(key=lambda pair: (pair["project"], pair["header"]))
    generator = random.Random(0)
    questions = [pair["question"] for pair in pairs]
    codes = [_with_header(pair, generator.random()) for pair in pairs]
    keys = vocabulary([*questions, *codes], plan.n_words)
    n_rows = len(keys) + plan.n_shared
    asked, answered = (bags(texts, keys, plan.n_shared) for texts in (questions, codes))
    projects = np.unique([pair["project"] for pair in pairs], return_inverse=True)[1]
    same = np.unique([question.lower() for question in questions], return_inverse=True)[1]
    n_texts = sum(np.bincount(b.rows, minlength=n_rows) for b in (asked, answered))
    return Data(keys, asked, answered, bags(_OPENINGS, keys, plan.n_shared), projects, n_texts, same)


def _with_header(pair: dict[str, str], chance: float) -> str:
    """Give most answers their header line, some its name alone or none, so that no answer depends on it."""
    header = pair["header"]
    if pair["kind"] in ("name", "test"):
        header = header if chance <= 0.3 else ""
    elif chance >= 0.85:
        header = ""
    elif chance >= 0.6 and pair["kind"] in ("doc", "class"):
        header = f"# {header.split(' ')[-1]}"
    return f"{header}\n{pair['code']}" if header else pair["code"]


def lsa(data: Data, plan: Plan, idf: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return rows by a randomised truncated SVD; both sides of a pair share a row of the matrix."""
    generator = np.random.default_rng(0)
    picked = np.sort(generator.permutation(len(data.codes))[:_N_LSA])
    matrix = (_tfidf(data.codes, picked, idf) + _tfidf(data.questions, picked, idf)).coalesce()
    basis = torch.from_numpy(generator.standard_normal((len(idf), plan.dims + 16)).astype(np.float32))
    for _ in range(3):
        basis, _ = torch.linalg.qr(matrix.t() @ (matrix @ basis))
    projected = matrix @ basis
    turned, spectrum, _ = torch.linalg.svd(projected.t() @ projected)
    # The fourth root of the squared spectrum: damped, or the first axes would hold nearly everything.
    rows = (basis @ turned[:, : plan.dims]) * spectrum[: plan.dims] ** 0.25
    return functional.normalize(rows, dim=1).numpy().astype(np.float32)


def _tfidf(texts: Bags, picked: NDArray[np.int64], idf: NDArray[np.float32]) -> torch.Tensor:
    text, row, count = texts.take(picked)
    value = count * idf[row]
    norm = np.sqrt(np.bincount(text, value**2, minlength=len(picked))).clip(1e-6)
    indices = torch.from_numpy(np.stack([text, row]))
    values = torch.from_numpy((value / norm[text]).astype(np.float32))
    return torch.sparse_coo_tensor(indices, values, (len(picked), len(idf)))


def batches(data: Data, plan: Plan, generator: np.random.Generator) -> NDArray[np.int64]:
    """Yield one epoch's batches: blocks of pairs of one project, in a new order each time."""
    n = len(data.projects)
    order = np.lexsort((generator.random(n), data.projects))
    starts = np.arange(int(generator.integers(plan.block)), n - plan.block, plan.block)
    generator.shuffle(starts)
    n_blocks = plan.batch // plan.block
    for k in range(0, len(starts) - n_blocks + 1, n_blocks):
        yield order[(starts[k : k + n_blocks, None] + np.arange(plan.block)).ravel()]


def loss_of(
    net: Net, data: Data, plan: Plan, picked: NDArray[np.int64], generator: np.random.Generator
) -> torch.Tensor:
    """Return the symmetric InfoNCE of one batch."""
    n, n_rows = len(picked), len(data.n_texts)
    q_text, q_row, q_count = data.questions.take(picked)
    d_text, d_row, d_count = data.codes.take(picked)
    shared = np.isin(d_text * n_rows + d_row, q_text * n_rows + q_row)
    hidden = generator.random(len(d_count)) < np.where(shared, plan.hide, plan.drop)
    d_count = np.where(hidden, 0, d_count).astype(np.float32)
    q_count = (q_count * (generator.random(len(q_count)) > _QUESTION_DROP)).astype(np.float32)
    opened = np.flatnonzero(generator.random(n) < 0.2)
    o_text, o_row, o_count = data.openings.take(generator.integers(len(_OPENINGS), size=len(opened)))
    text = np.concatenate([q_text, opened[o_text]])
    order = np.argsort(text, kind="stable")
    asked = (text[order], np.concatenate([q_row, o_row])[order], np.concatenate([q_count, o_count])[order], n)
    rows = net.rows()
    questions = net.side(rows, net.question, asked)
    codes = net.side(rows, net.code, (d_text, d_row, d_count, n))
    scores = questions @ codes.t() / _TEMPERATURE
    same = data.same[picked][:, None] == data.same[picked][None]
    np.fill_diagonal(same, False)
    scores = scores.masked_fill(torch.from_numpy(same), -1e4)
    answers = torch.arange(n)
    return (functional.cross_entropy(scores, answers) + functional.cross_entropy(scores.t(), answers)) / 2


def train(data: Data, plan: Plan, net: Net) -> Net:
    """Train, and return the average of the weights on the way."""
    generator = np.random.default_rng(plan.seed)
    torch.manual_seed(plan.seed)
    groups = [
        {"params": [net.moved], "lr": plan.rate},
        {"params": [net.question, net.code], "lr": 2 * plan.rate},
    ]
    optimiser = torch.optim.Adam(groups, betas=(0.9, 0.98), eps=1e-9)
    average = torch.optim.swa_utils.AveragedModel(net, avg_fn=_averaged)
    n_steps = max(1, int(len(data.projects) // plan.batch * plan.epochs))
    step = 0
    while step < n_steps:
        for picked in batches(data, plan, generator):
            if step >= n_steps:
                break
            pace = min(1.0, (step + 1) / 30) * max(0.03, 1 - step / n_steps)
            for group, factor in zip(optimiser.param_groups, (1, 2), strict=True):
                group["lr"] = factor * plan.rate * pace
            loss = loss_of(net, data, plan, picked, generator)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            average.update_parameters(net)
            step += 1
            if step % 25 == 0:
                print(f"step {step} of {n_steps}, loss {loss.item():.3f}", flush=True)
        if not step:
            raise SystemExit(f"there are too few pairs for one batch of {plan.batch}")
    return average.module


def _averaged(old: torch.Tensor, new: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    return old + (new - old) * (1 - min(0.99, (1 + float(n)) / (10 + float(n))))


def save(net: Net, keys: NDArray[np.uint32], path: Path) -> None:
    """Write the rows as int8 and the weights with each row's scale."""
    rows = net.rows().detach().numpy()
    scale = np.abs(rows).max(1).clip(1e-9) / 127
    question, code = (side.detach().exp().numpy() * scale * 100 for side in (net.question, net.code))
    quantised = np.round(rows / scale[:, None]).astype(np.int8)
    np.savez_compressed(
        path, emb=quantised, keys=keys, wd=code.astype(np.float16), wq=question.astype(np.float16)
    )


def start_of(data: Data, plan: Plan, resume: Path | None) -> Net:
    """Return the net to begin with: from LSA, or from weights that were saved."""
    reach = np.sqrt(data.n_texts / (data.n_texts + _RARE)).astype(np.float32)
    if resume is None:
        idf = np.log(2 * len(data.codes) / (1 + data.n_texts)).clip(0.05).astype(np.float32)
        log_idf = np.log(idf)
        return Net(lsa(data, plan, idf), np.stack([log_idf, log_idf]), reach)
    with np.load(resume) as stored:
        rows = stored["emb"].astype(np.float32)
        norm = np.linalg.norm(rows, axis=1).clip(1e-6)
        sides = [np.log((stored[name].astype(np.float32) * norm / 100).clip(1e-6)) for name in ("wq", "wd")]
    return Net(rows / norm[:, None], np.stack(sides), reach)


def main() -> None:
    """Train by the command line's plan."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--resume", type=Path)
    for field in attrs.fields(Plan):
        kind = float if isinstance(field.default, float) else int
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=kind, default=field.default)
    arguments = vars(parser.parse_args())
    pairs, out, resume = (arguments.pop(name) for name in ("pairs", "out", "resume"))
    plan = Plan(**arguments)
    data = read_data(pairs, plan)
    print(f"{len(data.projects)} pairs, {len(data.keys)} words", flush=True)
    save(train(data, plan, start_of(data, plan, resume)), data.keys, out)
    print(f"{out}: {math.ceil(out.stat().st_size / 1e6)} MB")


if __name__ == "__main__":
    main()
