#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Printed numbers of `check` for lemmas of [002] and [003], found again from their definitions: draws by a generator of its own, one step of descent, sums, counts and bounds.

Values of this file and of the program may differ by rounding: 1e-11 of their size, and 1e-9 where 20,000 draws are summed."""
import itertools
import json
import os
import tempfile
import unittest

import numpy as np

import fathom

MASK, HALF = np.uint64(0xFFFFFFFF), np.uint64(32)


def normals(seed, stream, sub, count):
    """Normal numbers 0 to count - 1 of a stream: philox4x32-10, then Box and Muller."""
    b = np.arange((count + 1) // 2, dtype=np.uint64)
    c, k = [b & MASK, b >> HALF, np.full_like(b, stream), np.full_like(b, sub)], [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        first, second = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(second >> HALF) ^ c[1] ^ np.uint64(k[0]), second & MASK, (first >> HALF) ^ c[3] ^ np.uint64(k[1]), first & MASK]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    u = [((c[2 * j + 1] << HALF | c[2 * j]) >> np.uint64(11)).astype(float) * 2.0**-53 + 2.0**-54 for j in range(2)]
    r = np.sqrt(-2 * np.log(u[0]))
    return np.stack([r * np.cos(2 * np.pi * u[1]), r * np.sin(2 * np.pi * u[1])], 1).ravel()[:count]


def start(seed, m, d):
    """V ~ N(0, I/d), a ~ N(0, 1/m)."""
    return normals(seed, 2, 0, m * d).reshape(m, d) / np.sqrt(d), normals(seed, 3, 0, m) / np.sqrt(m)


def lines(result):
    return {line["name"]: line for line in result.hypotheses}, result.comparisons


class Lemmas(unittest.TestCase):
    def close(self, own, theirs, tolerance=1e-11):
        self.assertLessEqual(abs(own - theirs), tolerance * max(1e-3, abs(own)), (own, theirs))

    def draw(self, seed):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(4, 12)), int(rng.integers(2, 5))
        x = rng.normal(size=(n, d))
        x /= np.linalg.norm(x, axis=1)[:, None] * rng.uniform(1, 1.3, n)[:, None]
        return rng, x, np.concatenate([[1.0, -1], rng.choice([-1.0, 1], n - 2)]), int(rng.integers(1, 10**9)), 2 * int(rng.integers(5, 60)), float(rng.choice([0.05, 0.1, 0.01]))

    def test_starts(self):
        """003: A.2 and C.1. What is compared is how many of the draws meet the bound: the interval [low, high] of a share k/T has high = 1 where k = T and low = 0 where k = 0."""
        for s in range(4):
            _, x, y, seed, m, delta = self.draw(10 + s)
            n, d, trials, epsilon, met, near = len(y), x.shape[1], 5, 0.9, np.zeros(3, int), 0
            for k in range(trials):
                v, a = start(seed + k, m, d)
                l = np.log(1 / delta)
                met += [np.linalg.norm(a) <= 1 + np.sqrt(2 * l / m), np.linalg.norm(v) <= np.sqrt(m) + np.sqrt(2 * l / d), np.abs(a @ np.maximum(v @ x.T, 0)).max() <= 4 * np.log(n / delta)]
                cosine = (v / np.linalg.norm(v, axis=1)[:, None]) @ (x / np.linalg.norm(x, axis=1)[:, None]).T
                near += (cosine.max(0) >= 1 - epsilon**2 / 2).all()
            a2 = fathom.check(x, y, theorem="003:a.2", width=m, seed=seed, trials=trials, delta=delta).comparisons
            c1 = fathom.check(x, y, theorem="003:c.1", width=m, seed=seed, trials=trials, delta=delta, epsilon=epsilon)
            for line, count in zip([*a2, c1.comparisons[0]], [*met, near]):
                self.assertEqual((line["lower"] == 0, line["upper"] == 1), (count == 0, count == trials))
                if 0 < count < trials:  # P[Bin(T, low) >= k] = 0.005 = P[Bin(T, high) <= k]
                    mass = lambda p, ks: sum(np.prod(np.arange(trials - k + 1, trials + 1)) / np.prod(np.arange(1, k + 1)) * p**k * (1 - p)**(trials - k) for k in ks)
                    self.close(0.005, mass(line["lower"], range(count, trials + 1)), 1e-9)
                    self.close(0.005, mass(line["upper"], range(count + 1)), 1e-9)
            self.close(np.ceil(2 * (2 / epsilon)**d * np.log(n / delta)), lines(c1)[0]["width m"]["required"])

    def test_map(self):
        """003: A.3. The map by multiplicative weights, its margin on fresh draws, and both parts; where neurons slide at the end the least over the differential."""
        kinks = 0
        for s in range(5):
            _, x, y, seed, m, delta = self.draw((2, 106, 110, 126, 133)[s])
            (n, d), l = x.shape, np.log(len(y) / delta)
            reach, root, q, score = np.linalg.norm(x, axis=1).max(), np.sqrt(m), [], np.zeros(n)

            def neurons(sub, count):
                w = normals(seed, 5, 1000 + sub, count * (d + 2)).reshape(count, d + 2)
                return w[:, d], w[:, :d] / np.sqrt(d)

            def features(v):
                return np.maximum(v @ x.T, 0) * y

            def value(a, v):
                return np.where(a**2 + (v**2).sum(1) >= 4, 0, np.where(features(v) @ np.array(q).T >= 0, 1, -1).mean(1))

            a, v = neurons(0, 1024)
            z, inside = features(v), a**2 + (v**2).sum(1) < 4
            for _ in range(48):
                p = np.exp(-np.sqrt(8 * np.log(n + 1) / 48) / reach * (score - score.min()))
                q.append(p / p.sum())
                score = score + np.sqrt(d) * ((inside * np.where(z @ q[-1] >= 0, 1, -1))[:, None] * z).mean(0)
            a, v = neurons(1, 20000)
            gain, scale = value(a, v)[:, None] * features(v), np.log(2 * n / 0.005)
            spread = np.sqrt(2 * gain.var(0, ddof=1) * scale / 20000) + 28 * reach * scale / (3 * 19999)
            low, high = (gain.mean(0) - spread).min(), (gain.mean(0) + spread).min()
            result = fathom.check(x, y, theorem="003:a.3", width=m, seed=seed, delta=delta, until="log_loss=-2")
            known, line = lines(result)
            self.close(low, known["gamma, the margin of the map theta"]["lower"], 1e-9)
            self.close(high, known["gamma, the margin of the map theta"]["upper"], 1e-9)
            v0, a0 = start(seed, m, d)
            bar = value(root * a0, v0) / root
            self.close((bar @ features(v0)).min(), line[0]["value"])
            self.close(high * root - np.sqrt(32 * l), line[0]["required_upper"], 1e-9)
            self.close(np.linalg.norm(a0), line[1]["value"])
            self.close(np.linalg.norm(v0), line[2]["value"])
            end = fathom.flow(x, y, width=m, seed=seed, method="flow", until="log_loss=-2")
            if end.status != "reached":
                continue
            v1, a1 = end.model.weights["U"], np.ravel(end.model.weights["W"])
            z = v1 @ x.T
            slides = np.abs(z) <= 1e-12 * np.linalg.norm(v1, axis=1)[:, None] * np.linalg.norm(x, axis=1)
            on, turn = np.where(slides, 0, np.maximum(z, 0)), y * a1[:, None] * (v0 @ x.T)
            far = np.sqrt(((v1 - v0)**2).sum() + ((a1 - a0)**2).sum())
            left = far / 8 * y * (bar @ on) + y * (a0 @ on) + np.where(slides, np.minimum(turn, 0), np.where(z > 0, turn, 0)).sum(0) - y * (a1 @ on)
            right = far / 8 * (high * root - np.sqrt(32 * l) - 4 * far - 4) - (4 * l + 4 * far + far**2)
            self.close((left - right).min(), line[3]["value"], 1e-9)
            kinks += slides.sum()
        self.assertGreater(kinks, 0)

    def test_walk(self):
        """003: B.1. SGD through the rows as they stand, and |l'| on test data before every step."""
        for s in range(4):
            rng, x, y, seed, m, delta = self.draw(30 + s)
            (n, d), count, seen, total = x.shape, 40, 0, np.zeros(40)
            v, a = start(seed, m, d)
            other, label = rng.normal(size=(count, d)), rng.choice([-1.0, 1], count)
            with tempfile.TemporaryDirectory() as folder:
                test = os.path.join(folder, "test.csv")
                np.savetxt(test, np.column_stack([other, label]), delimiter=",", fmt="%.17g")
                line = fathom.check(x, y, theorem="003:b.1", width=m, seed=seed, delta=delta, step=0.11, test=test).comparisons[0]
            for i in range(n):
                total += 1 / (1 + np.exp(label * (a @ np.maximum(v @ other.T, 0))))
                z = v @ x[i]
                slope = 1 / (1 + np.exp(y[i] * (a @ np.maximum(z, 0))))
                seen += slope
                a, v = a + 0.11 * slope * y[i] * np.maximum(z, 0), v + 0.11 * slope * y[i] * np.outer(a * (z > 0), x[i])
            spread = np.sqrt(2 * total.var(ddof=1) * np.log(400) / count) + 7 * n * np.log(400) / (3 * (count - 1))
            self.close(4 * seen + 4 * np.log(1 / delta), line["required"])
            self.close(max(0, total.mean() - spread), line["lower"])
            self.close(min(n, total.mean() + spread), line["upper"])

    def test_clusters(self):
        """002: Lemmas 17 to 19, in the coordinates of App. C."""
        for s in range(6):
            rng = np.random.default_rng(50 + s)
            d, p, beta, seed, o, c, c4 = int(rng.integers(2, 6)), int(rng.choice([20, 100])), float(rng.choice([0.1, 0.25, 0.4])), int(rng.integers(1, 10**6)), 0.17, 3.0, 0.4
            axes = np.linalg.qr(rng.normal(size=(d, d)))[0]
            x = np.repeat([axes[0], -axes[0], axes[1], -axes[1]], 3, 0) + 0.02 * rng.normal(size=(12, d))
            x, y, n = x / np.linalg.norm(x, axis=1)[:, None], np.repeat([1.0, 1, -1, -1], 3), 12
            w, u = normals(seed, 2, 0, 2 * p * (d + 1)).reshape(2 * p, d + 1) * p**(-0.5 - beta / 2), np.repeat([1.0, -1], p)
            one, h = np.column_stack([x, np.ones(n)]), 1 / p

            def unit(z):
                return np.where(z < 0, 0, np.where(z <= h, z * z / (2 * h), z - h / 2))

            z0 = w @ one.T
            pull = y / (1 + np.exp(y * (u @ unit(z0)))) / n
            z1 = (w + p**(-0.5 - beta) * u[:, None] * ((np.clip(z0 / h, 0, 1) * pull) @ one)) @ one.T
            alpha, sigma = 2 * p**(-0.5 - beta), np.sqrt(2) * p**(-0.5 - beta / 2)
            caught, right, after = z0 >= h + 4 * alpha, u[:, None] * y > 0, unit(z1)
            constants = {"002:17": f"o={o},C2=0.2,C3=1,C4={c4},c={c}", "002:18": f"o={o},C2=0.2,C3=1,c={c}", "002:19": f"o={o},C2=0.2,C3=1"}
            results = {name: fathom.check(x, y, theorem=name, width=2 * p, beta=beta, seed=seed, constants=text) for name, text in constants.items()}
            known = lines(results["002:17"])[0]
            delta, r, epsilon = (known[name]["upper"] for name in ("overlap Delta of opposite centers", "radius r of the clusters", "imbalance epsilon of the clusters"))
            chi = sigma * np.exp(-((h + 4 * alpha) / sigma)**2 / 2) / np.sqrt(2 * np.pi)
            gain, near = alpha * p * (1 - c * (delta + np.sqrt(r) + epsilon) - o) / 48, np.sqrt(2 / np.pi) / sigma * (h + 5 * alpha * (2 + delta + r))**2 * p
            f = u @ after
            own = {"002:17": [(-np.log(np.mean(np.log1p(np.exp(-y * f)))), c4 * p**(0.5 - beta)), ((y * f).min(), 2 * gain - 4 - near)],
                   "002:18": [((after * (caught & right)).sum(0).min(), p * chi + gain - 2), ((after * (caught & ~right)).sum(0).max(), p * chi - gain + 2)],
                   "002:19": [((after * (~caught & ~right)).sum(0).max(), near)]}
            for name, pairs in own.items():
                self.assertEqual(len(pairs), len(results[name].comparisons))
                for (value, bound), line in zip(pairs, results[name].comparisons):
                    self.close(value, line["value"], 1e-10)
                    self.close(bound, line["required"])

    def test_descent(self):
        """002: Theorem 1 from a given start: Q_1, Q_2 of the reduced coordinates, the run of their steps, and what is watched along it."""
        for s in range(4):
            rng = np.random.default_rng(70 + s)
            n, d, p, steps = int(rng.integers(2, 7)), int(rng.integers(1, 4)), int(rng.integers(1, 6)), 25
            x, y = rng.normal(size=(n, d)), np.concatenate([[1.0, -1], rng.choice([-1.0, 1], n - 2)])
            x /= np.linalg.norm(x, axis=1)[:, None]
            u, w, b = np.repeat([1.0, -1], p), 0.3 * rng.normal(size=(2 * p, d)), 0.1 * rng.normal(size=2 * p)
            v, one, h, track = np.column_stack([w, b]) * np.sqrt(2), np.column_stack([x, np.ones(n)]) / np.sqrt(2), 1 / p, []
            for t in range(steps + 1):
                z = v @ one.T
                f = u @ np.where(z < 0, 0, np.where(z <= h, z * z / (2 * h), z - h / 2))
                loss = np.mean(np.log1p(np.exp(-y * f)))
                slope = -(u[:, None] * np.clip(z / h, 0, 1) * (y / (1 + np.exp(y * f)))) @ one / n
                size = np.linalg.norm(v)
                if t == 0:
                    first = l = np.log(1 / loss)
                    q1 = min(1 / (30 * p * loss * l**2), 108 * size**2 / (125 * loss * l**4), np.e**2 / (120 * p))
                    q2 = 125 * q1 * loss * l**4 / (216 * size**2)
                alpha = q1 * np.log(1 / loss)**2
                track.append((loss, size, np.linalg.norm(slope), alpha))
                v = v - alpha * slope
            loss, size, slope, alpha = np.array(track).T
            with tempfile.TemporaryDirectory() as folder:
                net = os.path.join(folder, "net.json")
                fathom.Model.from_arrays(w, u, b=b, kind="huber", parameter=h).save(net)
                known, line = lines(fathom.check(x, y, theorem="002:1", width=2 * p, init=net, until=f"steps={steps}"))
            line = {item["name"].split(":")[0].split(" ")[0] + item["name"][-1]: item for item in line}
            self.close(q1, known["Q_1"]["value"])
            self.close(q2, known["Q_2"]["value"])
            values = {item["name"]: item for item in line.values()}
            find = lambda part: next(item for name, item in values.items() if part in name)
            t = np.arange(steps + 1)
            self.close(loss[-1], find("R_t at the end")["value"])
            self.close(loss[0] / (q2 * steps + 1), find("R_t at the end")["required"], 1e-9)
            self.close((np.log(loss * (q2 * t + 1) / loss[0]))[1:].max(), find("(I1)")["value"], 1e-9)
            self.close((30 * p * alpha * loss).max(), find("(I2)")["value"], 1e-9)
            self.close(((np.log(1 / loss)**2 / size)[1:] / (first**2 / size[0])).min(), find("(I3)")["value"], 1e-9)
            self.close((slope / np.sqrt(2 * p) / np.minimum(loss, 1)).max(), find("Lemma 7")["value"], 1e-9)
            self.close((slope * size / (loss * np.log(1 / loss))).min(), find("Lemma 10")["value"], 1e-9)

    def test_growth(self):
        """003: A.4, A.5 and B.2 from the margins and weights that the same flow leaves at its records."""
        for s in range(3):
            rng, x, y, seed, m, _ = self.draw(90 + s)
            n = len(y)
            run = dict(width=m, seed=seed, until="log_loss=-12")
            for loss, zero in (("logistic", np.log(2)), ("exponential", 1.0)):
                with tempfile.TemporaryDirectory() as folder:
                    log = os.path.join(folder, "log")
                    end = fathom.flow(x, y, method="flow", loss=loss, every=1, trace_of="p", log=log, **run)
                    with open(log) as file:
                        records = [json.loads(line) for line in file]
                records = [r for r in records if "trace" in r]
                p = np.array([r["trace"]["p"] for r in records]).reshape(len(records), n)
                square = np.array([r["norm"] for r in records])**2
                if loss == "exponential":
                    low = p.min(1)
                    total = np.exp(low[:, None] - p).sum(1)  # sum of losses over e^-low
                    left = (p * np.exp(low[:, None] - p)).sum(1) / total / square
                    middle, right = (low - np.log(total) + np.log(n)) / square, (low + np.log(n)) / square
                    scale = np.abs(left) + np.abs(middle) + np.log(n) / square
                    line = fathom.check(x, y, theorem="003:a.5", **run).comparisons
                    self.close(((left - middle) / scale).max(), line[0]["value"], 1e-7)
                    self.close(((middle - right) / scale).max(), line[1]["value"], 1e-7)
                    continue
                level = np.log(zero / n)
                logs = np.array([r["log_loss"] for r in records])
                known, line = lines(fathom.check(x, y, theorem="003:a.4", loss=loss, **run))
                self.close(logs.min(), known["least ln R on the run, beside ln(l(0)/n)"]["value"])
                self.close(level, known["least ln R on the run, beside ln(l(0)/n)"]["required"])
                if (logs < level).any():
                    growth = np.sqrt(square[logs < level])
                    self.close(growth[-1], line[2]["value"])
                    self.close(growth[0], line[2]["required"])
                    self.close(max(0, (growth[:-1] / growth[1:] - 1).max()), line[1]["value"])
                small = 1 / (1 + np.exp(p[-1])) <= 1 / 8
                known, line = lines(fathom.check(x, y, theorem="003:b.2", **run))
                name = "examples with |l'(p_i)| <= 1/8 at the end of a flow"
                self.assertEqual(known[name]["value"], small.sum())
                if small.any():
                    self.close((np.log1p(np.exp(-p[-1])) * (1 + np.exp(p[-1])))[small].max(), line[0]["value"], 1e-9)
                self.assertEqual(end.status, "reached")

    def test_products(self):
        """002: Lemma 21, its products of reduced examples; clusters are far apart, so that they are known."""
        for s in range(4):
            rng = np.random.default_rng(110 + s)
            d, each = int(rng.integers(2, 6)), int(rng.integers(1, 5))
            axes = np.linalg.qr(rng.normal(size=(d, d)))[0]
            x = np.repeat([axes[0], -axes[0], axes[1], -axes[1]], each, 0) + 0.05 * rng.normal(size=(4 * each, d))
            x, y, of = x / np.linalg.norm(x, axis=1)[:, None], np.repeat([1.0, 1, -1, -1], each), np.repeat(range(4), each)
            result = fathom.check(x, y, theorem="002:21")
            products = (x @ x.T + 1) / 2
            self.close(products[y[:, None] != y].max(), result.comparisons[0]["value"])
            self.close(products[of[:, None] == of].min(), result.comparisons[1]["value"])

    def test_regimes(self):
        """004: the least beta for which V^+ and V^- are empty, by the nearest point of every face of every hull."""
        def nearest(points):
            best = np.inf
            for size in range(1, min(len(points), points.shape[1] + 1) + 1):
                for face in itertools.combinations(range(len(points)), size):
                    a = points[list(face)]
                    weights = np.linalg.lstsq(np.vstack([2 * a @ a.T, np.ones(size)]).T[:, :size] if size == 1 else np.block([[a @ a.T, np.ones((size, 1))], [np.ones((1, size)), np.zeros((1, 1))]]), np.append(np.zeros(size), 1.0) if size > 1 else np.array([1.0]), rcond=None)[0][:size]
                    weights = np.ones(1) if size == 1 else weights
                    if (weights >= -1e-12).all():
                        best = min(best, np.linalg.norm(weights @ a))
            return best

        for s in range(4):
            rng = np.random.default_rng(130 + s)
            n, d = int(rng.integers(3, 7)), int(rng.integers(1, 4))
            x, y = rng.normal(size=(n, d)) + 0.5, np.concatenate([[1.0, -1], rng.choice([-1.0, 1], n - 2)])
            known = lines(fathom.check(x, y, theorem="004:6.2", width=4, until="steps=1"))[0]
            for sign, name in ((1, "+"), (-1, "-")):
                beta = max(nearest(np.vstack([x[y == sign], one])) for one in x[y == -sign])
                line = known[f"beta, beside the largest with V_beta^{name} not empty"]
                self.close(beta, (line["required_lower"] + line["required_upper"]) / 2, 1e-9)
                self.assertLessEqual(line["required_lower"] - 1e-12, beta)
                self.assertLessEqual(beta, line["required_upper"] + 1e-12)

    def test_widths(self):
        """--widths and --solve: the formulas of the statements at the ends of the measured margins; the number of cones by sums of binomials."""
        from math import ceil, comb, log
        for s in range(3):
            rng = np.random.default_rng(150 + s)
            n, d, delta, eps = 4, 2, float(rng.choice([0.01, 0.05])), float(rng.choice([0.1, 0.3]))
            turn, radius = rng.uniform(0, 1), rng.uniform(0.4, 1, n)
            angle = turn + np.arange(n) * np.pi / 2 + rng.uniform(-0.2, 0.2, n)
            x, y = np.column_stack([np.cos(angle), np.sin(angle)]) * radius[:, None], np.array([1.0, -1, 1, -1])
            reach = radius.max()
            result = fathom.check(x, y, widths=True, delta=delta, epsilon=eps)
            known = lines(result)[0]
            ends = {name: [known[name]["upper"], known[name]["lower"]] for name in ("gamma", "gamma_ntk", "gamma_gl")}
            t1 = lambda g: ceil((8 * log(1 / delta) + 2560 / g**2) / eps)
            t3 = max(n, 1 / (5 * eps))
            own = {("000:6.2", "m"): ("gamma", lambda g: ceil(2 * reach**2 * log(2 * n / delta) / (eps * g)**2)),
                   ("003:2.1", "t"): ("gamma_ntk", t1),
                   ("003:2.1", "m"): ("gamma_ntk", lambda g: ceil(max((64 * log(t1(g) / delta) / g)**2, (640 / g)**2))),
                   ("003:2.2", "m"): ("gamma_ntk", lambda g: ceil((640 * log(n / delta) / g)**2)),
                   ("003:2.3", "t"): ("gamma_ntk", lambda g: t3),
                   ("003:2.3", "m"): ("gamma_ntk", lambda g: ceil((640 * log(t3 / delta) / g)**2)),
                   ("003:2.4", "m"): ("gamma_ntk", lambda g: ceil(256 * log(n / delta) / g**2)),
                   ("003:3.3", "m"): ("gamma_gl", lambda g: ceil(2 * (4 / g)**d * log(n / delta)))}
            seen = 0
            for theorem in (None, "000:6.2", "003:2.1", "003:2.2", "003:2.3", "003:2.4", "003:3.3"):
                if theorem:
                    result = fathom.check(x, y, theorem=theorem, solve=True, delta=delta, epsilon=eps)
                    known = lines(result)[0]
                for need in result.least:
                    if (need["theorem"], need["what"]) in own:
                        name, of = own[need["theorem"], need["what"]]
                        g = [known[name]["upper"], known[name]["lower"]] if theorem else ends[name]
                        self.close(of(g[0]), need["lower"], 1e-9)
                        self.close(of(g[1]) if g[1] > 0 else np.inf, need["upper"], 1e-9)
                        seen += 1
                    elif need["what"] == "n" and np.isfinite(need["upper"]):  # the least n from 21 on that meets Lemma 2.5
                        g = {"003:2.2": lambda g: g**2 / 4096, "003:3.3": lambda g: g / 4}[theorem]
                        name = {"003:2.2": "gamma_ntk", "003:3.3": "gamma_gl"}[theorem]
                        for end, value in ((known[name]["upper"], need["lower"]), (known[name]["lower"], need["upper"])):
                            error = lambda k: (log(k)**3 / g(end)**2 + log(1 / delta)) / k
                            self.assertLessEqual(error(value), eps * (1 + 1e-9))
                            self.assertGreater(error(value * (1 - 1e-9) - 1), eps * (1 - 1e-7))
                        seen += 1
                    elif need["theorem"] == "000:3.3":
                        self.assertEqual(need["lower"], 1 + 2 * sum(comb(n - 1, k) for k in range(d)))
                    elif need["theorem"] == "002:2":
                        self.assertEqual(need["lower"], 2 * ceil(log(n * (d + 1) / delta)**2))
                    elif need["theorem"] == "flow":  # that width puts all right, and none of those tried before it
                        tried = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32]
                        for width in tried[:tried.index(int(need["upper"])) + 1]:
                            end = fathom.flow(x, y, width=width, method="flow", until=f"log_loss={log(log(2) / n)!r},steps=20000")
                            self.assertEqual(end.status == "reached", width == need["upper"])
            self.assertGreaterEqual(seen, 14)

    def test_updates(self):
        """004: M(n, epsilon) of Theorem 4.1, eq. (26)."""
        for s in range(4):
            rng = np.random.default_rng(170 + s)
            n, d, k = int(rng.integers(2, 7)), int(rng.integers(1, 4)), int(rng.integers(1, 5))
            y = np.concatenate([[1.0, -1], rng.choice([-1.0, 1], n - 2)])
            x = y[:, None] * np.abs(rng.normal(size=(n, d)) + 0.1)
            alpha, eta, eps, v = float(rng.uniform(0.1, 0.9)), float(rng.choice([0.01, 0.2])), 0.3, float(rng.choice([0.1, 0.7]))
            w0 = 0.1 * rng.normal(size=(2 * k, d))
            with tempfile.TemporaryDirectory() as folder:
                net = os.path.join(folder, "net.json")
                fathom.Model.from_arrays(w0, np.repeat([v, -v], k), kind="leaky", parameter=alpha).save(net)
                result = fathom.check(x, y, theorem="004:4.1", solve=True, width=2 * k, slope=alpha, step=eta, epsilon=eps, init=net, constants=f"v={v!r}")
            w = 1 / lines(result)[0]["linear margin"]["lower"]
            rx, r0, e = np.linalg.norm(x, axis=1).max(), np.linalg.norm(w0, axis=1).max(), 1 + (1 + 2 * v**2 * (x**2).sum(1).max() * eta * k * n) / eps
            bound = ((rx / alpha)**2 + 1 / (k * eta * v**2 * alpha**2)) * (w * n * e)**2 + n
            bound += np.sqrt(r0 * (8 * (k * eta * v * rx)**2 + 8 * k * eta)) * (w * n * e)**1.5 / (2 * k * (eta * v * alpha)**1.5) + 2 * r0 * w * n * e / (eta * v * alpha)
            self.close(np.ceil(bound), result.least[0]["lower"], 1e-9)
            best = max((np.array([np.cos(t), np.sin(t)]) @ (y[:, None] * x).T).min() for t in np.linspace(0, 2 * np.pi, 20001)) if d == 2 else (y * x[:, 0]).min() if d == 1 else None
            if best is not None:
                self.close(best, 1 / w, 1e-3)

    def test_one_label(self):
        """003: Lemma A.1: gamma_gl of one label, the largest linear margin (a neuron sees no more), and the tangent margin by sampling."""
        for s in range(2):
            rng = np.random.default_rng(190 + s)
            n = int(rng.integers(2, 6))
            angle = rng.uniform(-1.2, 1.2, n) + rng.uniform(0, 6)
            x = np.column_stack([np.cos(angle), np.sin(angle)])
            known, line = lines(fathom.check(x, np.ones(n), theorem="003:a.1"))
            turn = np.linspace(0, 2 * np.pi, 200001)
            best = (np.column_stack([np.cos(turn), np.sin(turn)]) @ x.T).min(1).max()
            self.assertLessEqual(best - 1e-9, known["gamma_gl"]["upper"])
            self.close(known["gamma_gl"]["upper"] / (8 * np.sqrt(2)), line[0]["required_upper"], 1e-9)
            self.close(known["gamma_gl"]["lower"] / (8 * np.sqrt(2)), line[0]["required_lower"], 1e-9)


if __name__ == "__main__":
    unittest.main()
