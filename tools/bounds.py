#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bounds.py BUILD: the pictures of docs/explanation/bounds.md, from a run on 20 rows of two columns (matplotlib)."""
import os
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.abspath(sys.argv[1]), "python"))
import matplotlib  # noqa: E402

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

import fathom  # noqa: E402

DATA = "gen:gauss,n=20,d=2,target=teacher"
LINE, OTHER, MARK = "#0a4f98", "#a8480a", "#444444"


def save(name):
    plt.savefig(os.path.join(ROOT, "docs", "measured", "gallery", f"bounds-{name}.svg"), bbox_inches="tight", metadata={"Date": None})
    plt.close()


def tangents():
    """A convex loss and lines below it."""
    f = np.linspace(-2, 4, 200)
    plt.figure(figsize=(5, 3))
    plt.plot(f, (f - 1) ** 2 / 2, color=LINE, lw=2, label="loss of one row, (f - 1)^2 / 2")
    for at in (-0.5, 2):
        plt.plot(f, (at - 1) ** 2 / 2 + (at - 1) * (f - at), color=OTHER, ls="--", label=f"tangent of slope {at - 1:g}")
    plt.ylim(-1, 4)
    plt.xlabel("output f")
    plt.legend(frameon=False)
    save("tangents")


def prices(data, fit, v):
    """What one neuron of norm 1 earns, over all its directions; the network's neurons touch the penalty."""
    angle = np.linspace(0, 360, 721)
    u = np.stack([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
    plt.figure(figsize=(6.5, 3.2))
    for share, style in ((1, "-"), (1.3, ":")):
        plt.plot(angle, np.abs(share * v @ np.maximum(data @ u, 0)), color=LINE if share == 1 else MARK, ls=style,
                 label="the v that was found" if share == 1 else "1.3 v: too expensive, no proof")
    plt.axhline(fit.beta, color=OTHER, label="penalty beta")
    for row in fit.model.weights["U"]:
        plt.axvline(np.degrees(np.arctan2(row[1], row[0])) % 360, color=OTHER, lw=0.6, ls="--")
    plt.xlim(0, 360)
    plt.xlabel("direction of the neuron in degrees (dashed: neurons of the network)")
    plt.ylabel("|sum of v_i relu(<x_i, u>)|")
    plt.legend(frameon=False, fontsize=8, loc="upper right")
    save("prices")


def cones(data):
    """Directions of a neuron, cut by the rows into cones in which it opens for the same rows."""
    plt.figure(figsize=(3.6, 3.6))
    for x in data[:6]:
        normal = np.array([-x[1], x[0]]) / np.linalg.norm(x)
        plt.plot(*np.stack([-1.25 * normal, 1.25 * normal]).T, color=MARK, lw=0.8)
    t = np.linspace(0, 2 * np.pi, 300)
    plt.plot(np.cos(t), np.sin(t), color=LINE, lw=2)
    plt.axis("equal")
    plt.axis("off")
    save("cones")


def main():
    matplotlib.rcParams.update({"svg.hashsalt": "fathom", "axes.spines.top": False, "axes.spines.right": False})
    with tempfile.TemporaryDirectory() as folder:
        fit = fathom.train(DATA, beta_rel=0.2, save_dual=os.path.join(folder, "v.npy"))
        v = np.load(os.path.join(folder, "v.npy")).ravel()
        table = np.loadtxt(fathom.gen(DATA, os.path.join(folder, "x.csv")) and os.path.join(folder, "x.csv"), delimiter=",", skiprows=1)
    data, y = table[:, :2], table[:, 2]
    tangents()
    prices(data, fit, v)
    cones(data)
    print(f"F = {fit.objective:.9f}, lower bound {fit.lower_bound:.9f}, sum of v_i y_i - v_i^2/2 = {np.sum(v * y - v ** 2 / 2):.9f}, "
          f"beta = {fit.beta:.6f}, neurons {fit.neurons}")


main()
