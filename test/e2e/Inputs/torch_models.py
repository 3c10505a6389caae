#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch versions of RiLM and its baselines: an independent reference and a peer to time against.

  torch_models.py --model hyp --bench 7            median and minimum ms of a full training step (B=128, T=64, V=2000, d=128)
  torch_models.py --model flat --train --corpus ../data/ptb/ptb --epochs 10
  torch_models.py --model hyp --dump step.json     inputs, parameters, loss and every gradient of one small step, in float64; refuses
                                                   (exit 1) if a clamp was active, since then the reference is not the model
  torch_models.py --model lstm --generate 200      ms per generated token, one at a time, state carried (Transformer: window of T)
  torch_models.py --model hyp --bench 3 --peak     also peak memory in bytes beyond parameters and optimiser state

Written the way a user would write it: eager operations, logits for all positions at once. `--compile` wraps the loss in torch.compile.
Protocols: 'windows' scores x[1..T] given x[0..T-1] for every model; 'lines' scores every word of a line for every model (RiLM: h_0 = root
predicts the first word; baselines: a learned start vector does), so that all rows score the same tokens.
"""
import argparse, collections, json, math, resource, statistics, sys, time
import torch, torch.nn as nn, torch.nn.functional as F


CLAMPED = []                                       # names of clamps that were active, for --dump


def norm(x):
    return torch.sqrt((x * x).sum(-1, keepdim=True) + 1e-14)


def at_most(x, bound, name):
    if torch.get_default_dtype() == torch.float64 and bool((x > bound).any()): CLAMPED.append(name)
    return x.clamp(max=bound)


def at_least(x, bound, name):
    if torch.get_default_dtype() == torch.float64 and bool((x < bound).any()): CLAMPED.append(name)
    return x.clamp_min(bound)


class RiLM(nn.Module):
    """kind: 'flat', 'hyp' (Moebius recurrence) or 'naive' (exp at h). Ball of curvature c; h: [B, d]; E: [V, d]."""

    def __init__(self, V, d, kind, c=1.0, k=8, tau=1.0, emb_std=None, weight_scale=1.0):
        super().__init__()
        self.kind, self.c, self.k, self.tau = kind, c, k, tau
        std = emb_std or 0.3 / math.sqrt(d)
        self.E = nn.Parameter(torch.randn(V, d) * std)
        self.root = nn.Parameter(torch.randn(d) * std)
        self.phi = nn.Linear(2 * d, d)
        with torch.no_grad():
            self.phi.weight.mul_(weight_scale); self.phi.bias.mul_(weight_scale)
        self.s = nn.Parameter(torch.tensor(1 / math.sqrt(d)))

    def log0(self, x):
        r = math.sqrt(self.c); n = norm(x)
        return torch.atanh(at_most(r * n, 1 - 1e-6, 'log0')) * x / (r * n)

    def exp0(self, v):
        r = math.sqrt(self.c); n = norm(v)
        return torch.tanh(r * n) * v / (r * n)

    def add(self, x, y):
        c = self.c
        xy = (x * y).sum(-1, keepdim=True); x2 = (x * x).sum(-1, keepdim=True); y2 = (y * y).sum(-1, keepdim=True)
        z = ((1 + 2 * c * xy + c * y2) * x + (1 - c * x2) * y) / at_least(1 + 2 * c * xy + c * c * x2 * y2, 1e-7, 'add')
        return z * at_least((1 - 1e-5) / math.sqrt(c) / norm(z), 1, 'ball').clamp(max=1) if torch.get_default_dtype() == torch.float64 \
            else z * ((1 - 1e-5) / math.sqrt(c) / norm(z)).clamp(max=1)

    def expmap(self, x, v):
        r = math.sqrt(self.c); n = norm(v)
        lam = 2 / at_least(1 - self.c * (x * x).sum(-1, keepdim=True), 1e-5, 'expmap')
        return self.add(x, torch.tanh(r * lam * n / 2) * v / (r * n))

    def states(self, x, emit_first):
        """x: [B, T] tokens -> [B, T, d]; emit_first: h_0..h_{T-1} (h_0 = root predicts x_0), else h_1..h_T."""
        d = self.root.shape[0]; W = self.phi.weight
        tangent = self.E if self.kind == 'flat' else self.log0(self.E)
        u = F.embedding(x, tangent @ W[:, d:].T + self.phi.bias)
        h = self.root.expand(x.shape[0], d); out = []
        for t in range(x.shape[1]):
            if emit_first:
                out.append(h)
            if self.k and t and t % self.k == 0:
                h = h.detach()
            if self.kind == 'flat':
                h = h + torch.tanh(h @ W[:, :d].T + u[:, t])
            elif self.kind == 'hyp':
                h = self.add(h, self.exp0(self.s * torch.tanh(self.log0(h) @ W[:, :d].T + u[:, t])))
            else:
                h = self.expmap(h, torch.tanh(self.log0(h) @ W[:, :d].T + u[:, t]))
            if not emit_first:
                out.append(h)
        return torch.stack(out, 1)

    def logits(self, x, emit_first):
        h = self.states(x, emit_first).flatten(0, 1); c = self.c
        h2 = (h * h).sum(-1, keepdim=True); e2 = (self.E * self.E).sum(-1)
        d2 = (h2 + e2 - 2 * h @ self.E.T).clamp_min(0)
        if self.kind != 'flat':
            s = c * d2 / (at_least(1 - c * h2, 1e-5, 'decoder') * at_least(1 - c * e2, 1e-5, 'decoder'))
            q = torch.sqrt(s.clamp_min(1e-14))
            dist = 2 / math.sqrt(c) * torch.log1p(q + s / (1 + torch.sqrt(1 + s)))
            d2 = dist * dist
        return -d2 / self.tau

    @torch.no_grad()
    def project(self):
        if self.kind != 'flat':
            for p in (self.E, self.root):
                p.mul_((0.999 / math.sqrt(self.c) / norm(p)).clamp(max=1))


class Baseline(nn.Module):
    """Embedding -> core -> head without bias; `start` is the learned input that predicts the first word of a line."""

    def __init__(self, V, d, tied):
        super().__init__()
        self.E = nn.Embedding(V, d); self.start = nn.Parameter(torch.zeros(d)); self.out = nn.Linear(d, V, bias=False)
        if tied: self.out.weight = self.E.weight

    def logits(self, x, emit_first=False):
        e = self.E(x)
        if emit_first: e = torch.cat([self.start.expand(e.shape[0], 1, -1), e[:, :-1]], 1)
        return self.out(self.core(e)).flatten(0, 1)


class LSTM(Baseline):
    def __init__(self, V, d, tied=True):
        super().__init__(V, d, tied); self.rnn = nn.LSTM(d, d, 2, batch_first=True)

    def core(self, e):
        return self.rnn(e)[0]


class Transformer(Baseline):
    """Post-norm, 4 heads, sinusoidal positions (no parameters)."""

    def __init__(self, V, d, T, ffn=256, heads=4, tied=True):
        super().__init__(V, d, tied)
        self.enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(d, heads, ffn, 0.0, batch_first=True), 2, enable_nested_tensor=False)
        pos = torch.arange(T)[:, None] / 10000 ** (torch.arange(0, d, 2) / d)
        self.register_buffer('pos', torch.stack([pos.sin(), pos.cos()], -1).flatten(1)[:, :d])
        self.register_buffer('mask', nn.Transformer.generate_square_subsequent_mask(T))

    def core(self, e):
        T = e.shape[1]; return self.enc(e + self.pos[:T], mask=self.mask[:T, :T], is_causal=True)


class SelectiveSSM(nn.Module):
    """One selective diagonal layer, N states a channel: s_t = exp(dt_t A) s_{t-1} + dt_t B_t u_t, y_t = <C_t, s_t> + D u_t; residual."""

    def __init__(self, d, N=64):
        super().__init__()
        self.ln = nn.LayerNorm(d); self.inp = nn.Linear(d, d); self.outp = nn.Linear(d, d)
        self.B = nn.Linear(d, N, bias=False); self.C = nn.Linear(d, N, bias=False)
        self.logA = nn.Parameter(torch.log(torch.arange(1, N + 1).to(torch.get_default_dtype())).expand(d, N).clone())
        self.wdt = nn.Parameter(torch.ones(d)); self.bdt = nn.Parameter(torch.full((d,), -4.0)); self.D = nn.Parameter(torch.ones(d))

    def forward(self, x):
        u = self.inp(self.ln(x)); dt = F.softplus(self.wdt * u + self.bdt); B, C, A = self.B(u), self.C(u), -torch.exp(self.logA)
        s = torch.zeros(*u[:, 0].shape, A.shape[1], dtype=u.dtype); y = []
        for t in range(u.shape[1]):
            s = torch.exp(dt[:, t, :, None] * A) * s + (dt[:, t] * u[:, t])[:, :, None] * B[:, t, None, :]
            y.append((s * C[:, t, None, :]).sum(-1))
        return x + self.outp(F.silu(torch.stack(y, 1) + self.D * u))


class SSM(Baseline):
    """4 d^2 + 400 d parameters in the core: 372,736 tied at d = 128, 270,436 at d = 97 (the paper: 374k, 271k)."""

    def __init__(self, V, d, tied=True):
        super().__init__(V, d, tied); self.layers = nn.Sequential(SelectiveSSM(d), SelectiveSSM(d), nn.LayerNorm(d))

    def core(self, e):
        return self.layers(e)


def load(prefix, V):
    ext = '.txt' if 'ptb' in prefix else '.tokens'
    read = lambda split: [l.split() for l in open(f'{prefix}.{split}{ext}') if l.split()]
    train, valid = read('train'), read('valid')
    top = [w for w, _ in collections.Counter(w for l in train for w in l).most_common(V)]
    ix = {w: i for i, w in enumerate(top)}; unk = ix['<unk>']
    enc = lambda ls: [[ix.get(w, unk) for w in l] for l in ls]
    return enc(train), enc(valid)


def batches(lines, T, protocol):
    """-> tokens [n, T + 1] and mask [n, T + 1]; 'windows' over the stream, or one 'line' a sequence (split at T)."""
    if protocol == 'windows':
        s = [w for l in lines for w in l]; n = (len(s) - 1) // T
        x = torch.tensor([s[i * T:i * T + T + 1] for i in range(n)]); return x, torch.ones_like(x, dtype=torch.float32)
    parts = [l[i:i + T] for l in lines for i in range(0, len(l), T)]
    x = torch.zeros(len(parts), T, dtype=torch.long); m = torch.zeros(len(parts), T)
    for i, p in enumerate(parts):
        x[i, :len(p)] = torch.tensor(p); m[i, :len(p)] = 1
    return x, m


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter); g = a.add_argument
    g('--model', default='hyp', choices=['flat', 'hyp', 'naive', 'lstm', 'transformer', 'ssm']); g('--V', type=int, default=2000)
    g('--d', type=int, default=128); g('--T', type=int, default=64); g('--B', type=int, default=128); g('--c', type=float, default=1.0)
    g('--k', type=int, default=8); g('--lr', type=float); g('--clip', type=float); g('--epochs', type=int, default=10)
    g('--seed', type=int, default=42); g('--threads', type=int, default=2); g('--compile', action='store_true')
    g('--bench', type=int); g('--train', action='store_true'); g('--corpus'); g('--protocol', default='windows', choices=['windows', 'lines'])
    g('--emb-std', type=float); g('--weight-scale', type=float, default=1.0); g('--dump')
    g('--untied', action='store_true'); g('--ffn', type=int, default=256); g('--generate', type=int); g('--peak', action='store_true')
    o = a.parse_args(); torch.set_num_threads(o.threads); torch.manual_seed(o.seed)
    if o.dump: torch.set_default_dtype(torch.float64)
    rilm = o.model in ('flat', 'hyp', 'naive')
    m = RiLM(o.V, o.d, o.model, o.c, o.k, 1.0, o.emb_std, o.weight_scale) if rilm else {'lstm': lambda: LSTM(o.V, o.d, not o.untied), 'ssm': lambda: SSM(o.V, o.d, not o.untied),
            'transformer': lambda: Transformer(o.V, o.d, o.T, o.ffn, 4, not o.untied)}[o.model]()
    lr = o.lr or (3e-3 if o.model in ('hyp', 'naive') else 1e-3); clip = o.clip if o.clip is not None else (1.0 if o.model in ('hyp', 'naive') else 0.0)
    first = o.protocol == 'lines'
    opt = torch.optim.Adam(m.parameters(), lr=lr)

    def loss(x, mask):
        inp, y, w = (x, x, mask) if first else (x[:, :-1], x[:, 1:], mask[:, 1:])
        nll = F.cross_entropy(m.logits(inp, first), y.reshape(-1), reduction='none')
        return (nll * w.reshape(-1)).sum() / w.sum().clamp_min(1)
    f = torch.compile(loss) if o.compile else loss

    def step(x, mask):
        opt.zero_grad(set_to_none=True); l = f(x, mask); l.backward()
        if clip: torch.nn.utils.clip_grad_norm_(m.parameters(), clip)
        opt.step()
        if rilm: m.project()
        return l.item()

    if o.dump:
        x = torch.randint(o.V, (o.B, o.T + 1)); mask = (torch.rand(o.B, o.T + 1) < 0.9).double(); l = loss(x, mask); l.backward()
        if CLAMPED: sys.exit(f'a clamp was active ({sorted(set(CLAMPED))}): use a smaller --weight-scale or --T')
        json.dump(dict(config=vars(o), tokens=x.tolist(), mask=mask.tolist(), loss=l.item(), params={n: p.tolist() for n, p in m.named_parameters()},
                       grads={n: p.grad.tolist() for n, p in m.named_parameters() if p.grad is not None}), open(o.dump, 'w'))
        return
    if o.generate:
        with torch.no_grad():
            ts = []; x = torch.randint(o.V, (1, 1))
            h = m.root.expand(1, -1) if rilm else None; state = None; hist = x
            for _ in range(o.generate):
                t = time.perf_counter()
                if rilm:                                 # one composition step, then all distances
                    W = m.phi.weight; e = m.E[x[:, 0]]; v = (lambda z: z) if o.model == 'flat' else m.log0
                    step_ = torch.tanh(F.linear(torch.cat([v(h), v(e)], -1), W, m.phi.bias))
                    h = h + step_ if o.model == 'flat' else m.add(h, m.exp0(m.s * step_)) if o.model == 'hyp' else m.expmap(h, step_)
                    h2 = (h * h).sum(-1, keepdim=True); e2 = (m.E * m.E).sum(-1); d2 = h2 + e2 - 2 * h @ m.E.T
                    if o.model != 'flat':
                        s_ = m.c * d2.clamp_min(0) / ((1 - m.c * h2) * (1 - m.c * e2)); q = torch.sqrt(s_)
                        d2 = (2 * torch.log1p(q + s_ / (1 + torch.sqrt(1 + s_)))) ** 2 / m.c
                    lg = -d2 / m.tau
                elif o.model == 'lstm':
                    y, state = m.rnn(m.E(x), state); lg = m.out(y[:, -1])
                else:
                    hist = torch.cat([hist, x], 1)[:, -o.T:]; lg = m.logits(hist).view(1, hist.shape[1], -1)[:, -1]
                x = torch.multinomial(torch.softmax(lg, -1), 1); ts.append((time.perf_counter() - t) * 1e3)
        ts = ts[len(ts) // 10:]; print(json.dumps(dict(engine='torch', model=o.model, ms_per_token=round(statistics.median(ts), 4), min_ms=round(min(ts), 4)))); return
    if o.bench:
        base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        x = torch.randint(o.V, (o.B, o.T + 1)); mask = torch.ones(o.B, o.T + 1); t = time.time(); step(x, mask); c0 = time.time() - t; step(x, mask)
        ts = []
        for _ in range(o.bench): t = time.time(); step(x, mask); ts.append((time.time() - t) * 1e3)
        print(json.dumps(dict(engine='torch' + ('+compile' if o.compile else ''), model=o.model, first_s=round(c0, 2), min_ms=round(min(ts), 1), median_ms=round(statistics.median(ts), 1),
                              **(dict(peak_bytes=(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base) * 1024) if o.peak else {}))))
        return
    train, valid = load(o.corpus, o.V); X, M = batches(train, o.T, o.protocol); XV, MV = batches(valid, o.T, o.protocol)
    print(f'{sum(p.numel() for p in m.parameters())} parameters, {len(X)} sequences', flush=True)
    for ep in range(o.epochs):
        t = time.time(); p = torch.randperm(len(X)); tot = 0.0; n = 0
        for i in range(0, len(X) - o.B + 1, o.B): tot += step(X[p[i:i + o.B]], M[p[i:i + o.B]]); n += 1
        with torch.no_grad():
            s = c = 0.0
            for i in range(0, len(XV), o.B):
                x, w = XV[i:i + o.B], MV[i:i + o.B]; k = (w if first else w[:, 1:]).sum().item(); s += loss(x, w).item() * k; c += k
        print(json.dumps(dict(epoch=ep + 1, train_ppl=round(math.exp(tot / n), 2), valid_ppl=round(math.exp(s / c), 2), seconds=round(time.time() - t, 1))), flush=True)


if __name__ == '__main__':
    main()
