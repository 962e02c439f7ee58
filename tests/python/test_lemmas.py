#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Printed numbers of `check` for lemmas of [002] and [003], found again from their definitions: draws by a generator of its own, one step of descent, sums, counts and bounds.

Values of this file and of the program may differ by rounding: 1e-11 of their size, and 1e-9 where 20,000 draws are summed."""
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


if __name__ == "__main__":
    unittest.main()
