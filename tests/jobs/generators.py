#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every generated family against NumPy: generators.py BUILD [--planted]

The definitions of docs/reference/data.md, random numbers included, written a second time. Values agree to a small multiple of
rounding; labels and counts are equal. With --planted one generator is asked for another seed, and the job must fail.
"""
import itertools
import os
import subprocess
import sys
import tempfile

import numpy as np

SEED = 7
ROUNDING = 2.0**-53


def words(seed, stream, sub, block):
    """philox4x32-10 of counter (block, stream, sub), as four arrays of 32-bit words."""
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    block = np.asarray(block, dtype=np.uint64)
    c = [block & low, block >> half, np.full_like(block, stream), np.full_like(block, sub)]
    k = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        p, q = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(q >> half) ^ c[1] ^ np.uint64(k[0]), q & low, (p >> half) ^ c[3] ^ np.uint64(k[1]), p & low]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def uniforms(stream, count, sub=0):
    w = words(SEED, stream, sub, np.arange((count + 1) // 2))
    u = np.empty(2 * len(w[0]))
    for k in range(2):
        bits = (w[2 * k + 1] << np.uint64(32)) | w[2 * k]
        u[k::2] = ((bits >> np.uint64(11)).astype(float) + 0.5) * 2.0**-53
    return u[:count]


def normals(stream, *shape, sub=0):
    count = int(np.prod(shape))
    u = uniforms(stream, count + count % 2, sub)
    radius, angle = np.sqrt(-2 * np.log(u[0::2])), 2 * np.pi * u[1::2]
    return np.column_stack((radius * np.cos(angle), radius * np.sin(angle))).ravel()[:count].reshape(shape)


def signs(stream, *shape):
    return np.where(uniforms(stream, int(np.prod(shape))) < 0.5, -1.0, 1.0).reshape(shape)


def circle(n):
    k = np.arange(1, n + 1)
    return np.column_stack((np.cos(2 * np.pi * k / n), np.sin(2 * np.pi * k / n))), (-1.0) ** k


def cube(d):
    x = np.array(list(itertools.product((-1.0, 1.0), repeat=d)))
    return x, x.prod(axis=1)


def parity(d, n, bits):
    s = signs(0, n, d)
    return s / np.sqrt(d), s[:, :bits].prod(axis=1)


def clusters(n, sd, plus):
    c = np.sqrt(0.5)
    u = uniforms(1, 2 * n).reshape(n, 2)
    means = np.array([plus, [(c, c), (-c, -c)]])
    label, part = (u[:, 0] >= 0.5).astype(int), (u[:, 1] >= 0.5).astype(int)
    return means[label, part] + sd * normals(0, n, 2), np.where(label == 0, 1.0, -1.0)


def teacher(n, d, k, noise):
    x, u, a = normals(0, n, d), normals(8, k, d) / np.sqrt(d), normals(8, k, sub=1)
    f = np.maximum(x @ u.T, 0) @ a
    return x, (f - f.mean()) / f.std() + noise * normals(1, n)


def pair(n, centre, gap, sd):
    axis, y, rows, candidate = centre / np.linalg.norm(centre), signs(1, n), [], 0
    while len(rows) < n:
        x = y[len(rows)] * centre + sd * normals(0, len(centre), sub=candidate)
        candidate += 1
        if y[len(rows)] * (x @ axis) >= gap:
            rows.append(x)
    return np.array(rows), y


def outlier(n, x, y):
    points, labels = pair(n, np.array([2.0, 0.0]), 0.5, 0.4)
    return np.vstack((points, [x, y])), np.append(labels, 1.0)


def mixture(n):
    i = np.arange(n)
    return (i % 5 - 2 + 0.5 * normals(0, n))[:, None], np.where(np.isin(i % 5, (1, 2, 4)), 1.0, -1.0)


def whitened(n, d):
    q, r = np.linalg.qr(normals(0, n, d).T)
    return (q * np.sign(np.diag(r))).T, normals(1, n)


def badkkt():
    angle = np.deg2rad([159, 160, 161, 19, 20, 21, -13.2608295])
    return np.column_stack((np.cos(angle), np.sin(angle))), np.ones(7)


def bad_family(n, d, apart, width, alpha):
    first, part = n // 2, lambda k: np.linspace(-1, 1, k) if k > 1 else np.ones(1)
    angle = np.concatenate((90 + apart / 2 + width * part(first), 90 - apart / 2 + width * part(n - first),
                            [90 + apart / 2 + width + 180 + np.rad2deg(np.arcsin(alpha))]))
    tilt = np.deg2rad(width) * uniforms(1, n + 1)
    tilt[[first - 1, n]] = 0
    x = normals(0, n + 1, d)
    x[:, 2:] *= np.sin(tilt)[:, None] / np.linalg.norm(x[:, 2:], axis=1, keepdims=True)
    x[:, :2] = np.cos(tilt)[:, None] * np.column_stack((np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))))
    return x, np.ones(n + 1)


def collapse(r, d, n):
    beta = np.zeros((r, d))
    beta[:, : r - 1] = factor((np.eye(r) * r - 1) / (r - 1))
    b, u, z = beta[np.arange(n) % r], uniforms(1, 2 * n).reshape(n, 2), normals(0, n, d)
    z -= (z * b).sum(axis=1, keepdims=True) * b
    z *= 0.05 * u[:, 1:] / np.linalg.norm(z, axis=1, keepdims=True)
    return (0.8 + 0.18 * u[:, :1]) * b + z, np.where(np.arange(n) % r % 2 == 0, 1.0, -1.0)


def factor(gram):
    """The first r - 1 columns of the Cholesky factor of a Gram matrix of rank r - 1."""
    top = np.linalg.cholesky(gram[:-1, :-1])
    return np.vstack((top, np.linalg.solve(top, gram[:-1, -1])))


C = np.sqrt(0.5)
FAMILIES = {  # specification: (X, y), allowed error in units of rounding
    "gen:circle,n=24": (circle(24), 32),
    "gen:circle,n=7": (circle(7), 32),
    "gen:cube,d=4": (cube(4), 0),
    "gen:parity,d=9,n=33,bits=3": (parity(9, 33, 3), 2),
    "gen:xor,n=50,sd=0.3": (clusters(50, 0.3, [(C, -C), (-C, C)]), 16),
    "gen:shoulders,n=50,sd=0.3": (clusters(50, 0.3, [(1, 0), (0, 1)]), 16),
    "gen:gauss,n=30,d=7": ((normals(0, 30, 7), normals(1, 30)), 32),
    "gen:gauss,n=30,d=3,target=sign": ((normals(0, 30, 3), signs(1, 30)), 32),
    "gen:gauss,n=40,d=3,target=teacher,k=5,noise=0.2": (teacher(40, 3, 5, 0.2), 100),
    "gen:twogauss,n=60,d=5,mean=1,gap=0.5,sd=2": (pair(60, np.ones(5) / np.sqrt(5), 0.5, 2), 64),
    "gen:outlier,n=20,x=-1,y=4": (outlier(20, -1, 4), 32),
    "gen:mixture1d,n=23": (mixture(23), 16),
    "gen:grid,d=2,n=6,reach=3": ((3 * np.stack(np.meshgrid(np.arange(-5.0, 6, 2) / 5, np.arange(-5.0, 6, 2) / 5, indexing="ij"),
                                               -1).reshape(-1, 2), np.zeros(36)), 1),
    "gen:line1d": ((np.arange(-2.0, 3)[:, None], np.array([1.0, -1, 1, 1, -1])), 0),
    "gen:whitened,n=12,d=20": (whitened(12, 20), 200),
    "gen:rankone,n=9,d=4": ((np.outer(normals(0, 9), normals(0, 4, sub=1)), normals(1, 9)), 64),
    "gen:badkkt": (badkkt(), 8),
    "gen:badkkt,n=9,d=4,apart=150,width=2,alpha=0.05": (bad_family(9, 4, 150, 2, 0.05), 64),
    "gen:collapse,r=4,d=6,n=21": (collapse(4, 6, 21), 64),
}


def generated(program, spec, seed, folder):
    path = os.path.join(folder, "data.npz")
    subprocess.run([program, "gen", spec, "-o", path, "--seed", str(seed), "--quiet"], check=True)
    with np.load(path) as data:
        return data["X"], data["y"]


def main():
    program, planted = os.path.join(sys.argv[1], "fathom"), "--planted" in sys.argv
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for spec, ((x, y), units) in FAMILIES.items():
            seed = SEED + 1 if planted and spec.startswith("gen:xor") else SEED
            got_x, got_y = generated(program, spec, seed, folder)
            error = np.inf
            if got_x.shape == x.shape and got_y.shape == y.shape:
                error = max(np.abs(got_x - x).max(), np.abs(got_y - y).max()) / ROUNDING
            failures += not error <= units
            print(f"{'agrees ' if error <= units else 'DIFFERS'} {error:9.3g} of {units:5} roundings  {spec}")
    if failures:
        sys.exit(f"{failures} families differ from NumPy")


main()
