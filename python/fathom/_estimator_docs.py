# SPDX-License-Identifier: Apache-2.0
"""Documentation of the estimators in numpydoc's form: every parameter of a constructor and every attribute has one text, here."""
from __future__ import annotations

import inspect
from typing import Any, TypeVar

PARAMETERS = {
    "as_category": ("list of names, optional", "Columns of a frame that are categories though they look like numbers."),
    "average": ("bool, default False", "The mean of the networks of the folds instead of one network trained on all rows."),
    "balance": ("bool, default False", "Every class weighs the same."),
    "beta": ("float, optional", "Weight of the penalty; instead of ``beta_rel``."),
    "beta_rel": ("float, default 0.1", "The penalty relative to the least one at which no neuron is worth its price."),
    "bias": ('{"augment", "none", "free"}, default "augment"', "A column of ones, penalised with the rest; none; or biases without penalty."),
    "callback": ("callable, optional", "Hears of progress (a `Progress` record); returning False stops."),
    "certificate": ("path, optional", "File for a proof of the bounds."),
    "choose": ('{"best", "one-se", "sparse"}, default "best"',
               "The penalty of the best score, the largest within one standard error of it, or that with neurons left out."),
    "class_weight": ('dict or "balanced", optional', "Weights by class; balanced: every class weighs the same."),
    "cv": ("int, splitter or list of splits, default 5", "Folds: a number, which the library cuts and solves together, or as scikit-learn has them."),
    "drop": ("list of names, optional", "Columns of a frame to leave out."),
    "effort": ("float, optional", "Most work on the lower bound, about seconds of one core; the same work on every machine."),
    "factor": ("float, default 1", "Factor of the kernel."),
    "folds": ("int, default 5", "Folds of the cross-validation."),
    "gap": ("float, optional", "Relative gap to reach between objective and lower bound."),
    "gates": ("int, path or array, default 100", "Number of gates to sample, or the gates themselves."),
    "keep": ("list of names, optional", "Columns of a frame to keep though they look like identifiers or are constant."),
    "layers": ('{"both", "first"}, default "both"', "The layers that the tangent kernel is of."),
    "loss": ('str, default "squared"', 'Of residuals: "squared", "absolute", "huber:0.5" (delta) or "quantile:0.9" (tau).'),
    "memory": ("float, optional", "Memory in GB that a call may use."),
    "model": ('{"auto", "relu", "gated"}, default "auto"', "Networks to choose among; auto tries gates beside neurons where rows are many."),
    "n_jobs": ("int, optional", "Number of threads in scikit-learn's words: -1 means all cores."),
    "normalize": ('{"auto", "standardize", "unit", "none"}', "How columns are prepared; auto standardises them, and leaves sparse rows as they are."),
    "points": ("int, default 8", "Number of penalties on the path."),
    "prune": ("float, optional", "Share of the objective that may be given up to have fewer neurons."),
    "random_state": ("int or RandomState, optional", "Where random draws begin; equal seeds give equal bits for every number of threads."),
    "ratio": ("float, default 1e-3", "The last penalty of the path relative to the first."),
    "repeats": ("int, default 1", "How often the cross-validation is repeated, with other folds."),
    "ridge": ("float, default 1", "Weight of the ridge penalty."),
    "scale": ('{"sum", "mean"}, default "sum"', "Sum or mean of the losses."),
    "scoring": ("str or callable, optional", "What chooses the penalty on rows left out; the loss itself where nothing is said."),
    "threads": ("int, optional", "Number of threads; all cores where nothing is said."),
    "time": ("float, default 0", "Seconds for the bound; 0 looks for none."),
    "time_limit": ("float, optional", "Seconds, after which the best network so far is taken, with its bound."),
    "verbose": ("bool, default False", "Prints one line of progress a second."),
    "warm_start": ("bool, default False", "Continues from the last state where the problem is still the same."),
    "width": ("int, optional", "Neurons or gates of a candidate."),
}
FITTED = {
    "model_": ("Model", "The network."),
    "n_features_in_": ("int", "Number of columns."),
}
BOUNDS = {
    "objective_": ("float", "Loss and penalty of the network, rounded up."),
    "lower_bound_": ("float", "No network of the model has a smaller objective."),
    "gap_": ("float", "The objective less the lower bound."),
    "relative_gap_": ("float", "The gap over the objective."),
    "status_": ("str", '"certified", "gates" or "limit": whether the gap was reached, over which networks.'),
    "n_iter_": ("int", "Iterations of the method."),
}
LAYERS = {
    "coefs_": ("list of arrays", "Weights into and out of the neurons, on the columns as given."),
    "intercepts_": ("list of arrays", "Biases of the neurons and of the outputs."),
}
PATH = {
    "beta_": ("float", "The penalty chosen."),
    "best_index_": ("int", "Its place on the path."),
    "best_score_": ("float", "Its mean score on rows left out."),
    "cv_results_": ("dict of arrays", "One entry per penalty."),
    "path_": ("DataFrame", "The same as a table (pandas)."),
}
CHOSEN = {
    "beta_": ("float", "The penalty chosen."),
    "cv_": ("dict", "Scores on rows left out with their standard errors."),
    "objective_": ("float", "Loss and penalty of the network."),
    "lower_bound_": ("float or None", "No network has a smaller objective; None where no time was given to it."),
    "feature_importances_": ("array", "How much worse predictions of rows left out become when a column is permuted."),
}
CLASSES = {"classes_": ("array", "The classes in order.")}
KERNEL = {"lambda_min_": ("float", "The least eigenvalue of the kernel matrix.")}

Kind = TypeVar("Kind", bound=type)


def _section(title: str, entries: dict[str, tuple[str, str]]) -> str:
    lines = [f"{name} : {kind}\n    {text}" for name, (kind, text) in entries.items()]
    return f"{title}\n{'-' * len(title)}\n" + "\n".join(lines)


def _attributes(kind: Any) -> dict[str, tuple[str, str]]:
    """By the family of an estimator, which its bases tell."""
    names = {base.__name__ for base in kind.__mro__}
    found = dict(FITTED)
    for part, bases in ((BOUNDS, {"Base"}), (LAYERS, {"Layers"}), (PATH, {"OnPath"}), (CHOSEN, {"Chosen"}), (CLASSES, {"ClassifierMixin"}),
                        (KERNEL, {"Kernel"})):
        found.update(part if names & bases else {})
    return found


def _example(kind: Any) -> str:
    """A few lines that run as they stand; labels of the plane's quadrants, or a product of its columns."""
    classes = any(base.__name__ == "ClassifierMixin" for base in kind.__mro__)
    target = 'numpy.where(X[:, 0] * X[:, 1] > 0, "same", "other")' if classes else "X[:, 0] * X[:, 1]"
    return ("Examples\n--------\n>>> import fathom, numpy\n>>> X = numpy.random.default_rng(1).normal(size=(60, 2))\n"
            f">>> y = {target}\n>>> fit = fathom.{kind.__name__}().fit(X, y)\n>>> fit.predict(X).shape\n(60,)\n>>> fit.score(X, y) > 0.5\nTrue")


METHODS = {
    "fit": ("Self", "The estimator."),
    "predict": ("array", "One entry for every row."),
    "predict_proba": ("array", "One row for every row of X, one column for every class."),
    "decision_function": ("array", "One column for every class, a vector where there are two."),
}
ARGUMENTS = {
    "X": "X : matrix\n    One row per example: an array, a sparse matrix where the estimator takes one, a frame.",
    "y": "y : vector or matrix\n    One target per example.",
    "sample_weight": "sample_weight : vector, optional\n    One weight >= 0 per example.",
}


def _complete_methods(kind: Any) -> None:
    """Parameters and returns of the methods, once for all classes that share them."""
    for name, (returned, text) in METHODS.items():
        method = getattr(kind, name, None)
        own = inspect.getdoc(method) or ""
        if method is not None and "Parameters\n" not in own:
            arguments = [ARGUMENTS[part] for part in inspect.signature(method).parameters if part != "self"]
            method.__doc__ = f"{own}\n\nParameters\n----------\n" + "\n".join(arguments) + f"\n\nReturns\n-------\n{returned}\n    {text}\n"


def documented(kind: Kind) -> Kind:
    """Completes the docstring of an estimator: its own words, then parameters, attributes, an example; and those of its methods."""
    _complete_methods(kind)
    taken = {name: PARAMETERS[name] for name in inspect.signature(kind).parameters}
    kind.__doc__ = "\n\n".join([inspect.getdoc(kind) or "", _section("Parameters", taken), _section("Attributes", _attributes(kind)), _example(kind)]) + "\n"
    return kind
