"""The parameters of the bandits: the default, the valid values and the meaning of each, in one place.

Constructors take their defaults and documentation from here. So does the configuration of the pipeline, which imports
this module without Numba.
"""

import difflib
import inspect
import math
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Protocol


class Kind(Protocol):
    """The valid values of a parameter."""

    words: str

    def read(self, value: Any) -> Any:
        """The value in the form that the bandits use; raises ``ValueError`` or ``TypeError`` if it is invalid."""

    def schema(self) -> dict[str, Any]:
        """The valid values as JSON Schema."""


class Number:
    """A finite number within bounds."""

    def __init__(
        self, low: float = 0, high: float = math.inf, *, above: bool = False, below: bool = False, whole: bool = False
    ) -> None:
        self.low, self.high, self.above, self.below, self.whole = low, high, above, below, whole
        what = "an integer" if whole else "a number"
        bound = f"above {low:g}" if above else f"of at least {low:g}"
        if high < math.inf:
            bound = f"above {low:g} and at most {high:g}" if above else f"from {low:g} to {high:g}"
        if below:
            bound = f"{'above' if above else 'of at least'} {low:g} and below {high:g}"
        self.words = f"{what} {bound}"

    def read(self, value: Any) -> float | int:
        """The value as a float, or as an int if it must be an integer."""
        if isinstance(value, str | bytes | bool) or value is None:
            raise TypeError
        number = float(value)
        inside = self.low <= number <= self.high
        inside &= not (self.above and number == self.low) and not (self.below and number == self.high)
        if not math.isfinite(number) or not inside or (self.whole and number != int(number)):
            raise ValueError
        return int(number) if self.whole else number

    def schema(self) -> dict[str, Any]:
        """JSON Schema of the number."""
        bounds: dict[str, Any] = {"exclusiveMinimum" if self.above else "minimum": self.low}
        if self.high < math.inf:
            bounds["exclusiveMaximum" if self.below else "maximum"] = self.high
        return {"type": "integer" if self.whole else "number", "description": self.words} | bounds


class OneOf:
    """One of several strings."""

    def __init__(self, *names: str) -> None:
        self.names = names
        self.words = f"{', '.join(names[:-1])} or {names[-1]}"

    def read(self, value: Any) -> str:
        """The string itself."""
        if value not in self.names:
            raise ValueError
        return str(value)

    def schema(self) -> dict[str, Any]:
        """JSON Schema of the strings."""
        return {"enum": list(self.names), "description": self.words}


class Several:
    """Distinct numbers, in ascending order."""

    def __init__(self, number: Number) -> None:
        self.number = number
        self.words = f"a list of distinct values, each {number.words}"

    def read(self, value: Any) -> tuple[float, ...]:
        """The numbers, sorted."""
        numbers = tuple(sorted(self.number.read(each) for each in value))
        if not numbers or len(set(numbers)) < len(numbers):
            raise ValueError
        return numbers

    def schema(self) -> dict[str, Any]:
        """JSON Schema of the list."""
        return {"type": "array", "minItems": 1, "uniqueItems": True, "items": self.number.schema(),
                "description": self.words}  # fmt: skip


class NumberOrWord:
    """A number within bounds, or one word."""

    def __init__(self, number: Number, word: str) -> None:
        self.number, self.word = number, word
        self.words = f"{number.words}, or {word}"

    def read(self, value: Any) -> float | int | str:
        """The number or the word."""
        return self.word if value == self.word else self.number.read(value)

    def schema(self) -> dict[str, Any]:
        """JSON Schema of both."""
        return {"oneOf": [{"const": self.word}, self.number.schema()], "description": self.words}


class Schedule:
    """When an arm's lambda and weights are refreshed."""

    KINDS: Mapping[str, Number] = {"batch": Number(1, whole=True), "geometric": Number(0)}
    words = "'every_step', {'batch': b} with an integer b of at least 1, or {'geometric': rho} with rho of at least 0"

    def read(self, value: Any) -> str | dict[str, float | int]:
        """The schedule, with its value converted to a number."""
        if value == "every_step":
            return "every_step"
        ((kind, number),) = value.items()
        return {kind: self.KINDS[kind].read(number)}

    def schema(self) -> dict[str, Any]:
        """JSON Schema of a schedule."""
        forms = [{"type": "object", "additionalProperties": False, "required": [name],
                  "properties": {name: number.schema()}} for name, number in self.KINDS.items()]  # fmt: skip
        return {"oneOf": [{"const": "every_step"}, *forms], "description": self.words}


class Parameter(NamedTuple):
    """One parameter of one or more bandits."""

    default: Any
    kind: Kind
    meaning: str


PARAMETERS = {
    "alpha": Parameter(1.0, Number(0), "Amount of exploration: multiplies the standard deviation of an estimate."),
    "gamma": Parameter(0.1, Number(0, 1, above=True), "Lower bound on the propensities used in the weights."),
    "weights": Parameter(
        "inverse_propensity",
        OneOf("inverse_propensity", "residual_balancing"),
        "How observations are weighted: by inverse propensities, or by approximate residual balancing, which makes the "
        "weighted mean context of an arm's observations close to the mean of all contexts so far and uses no gamma.",
    ),
    "zeta": Parameter(
        0.5,
        Number(0, 1, above=True, below=True),
        "For residual balancing: how much balance counts, compared with even weights.",
    ),
    "epsilon": Parameter(0.1, Number(0, 1), "Probability of drawing the arm of a round at random."),
    "gamma_scale": Parameter(
        10.0,
        Number(0),
        "Greediness of SquareCB: in round t, gamma_t = gamma_scale * sqrt(t) multiplies the gap to the best estimate.",
    ),
    "v": Parameter(
        0.1, Number(0), "Amount of exploration of DRTS: its posterior has variance v^2 (X'X + lambda_t)^-1."
    ),
    "threshold": Parameter(
        1.0,
        Number(0, 1),
        "DRTS draws again while the probability of the arm is at most threshold / (K + 1), where K is the number of "
        "arms. 1 is the smallest value in the theory; 0 never draws again.",
    ),
    "lam_scale": Parameter(
        1.0,
        Number(0, above=True),
        "Penalty of the doubly robust regression: lambda_t = lam_scale * sqrt(t) after t observations of all arms.",
    ),
    "intercept": Parameter(
        "unpenalised", OneOf("unpenalised", "penalised", "none"), "Treatment of the intercept in an arm's model."
    ),
    "lams": Parameter(
        (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4),
        Several(Number(0, above=True)),
        "Candidate penalties lambda of the ridge regression.",
    ),
    "lams_unit": Parameter(
        "one",
        OneOf("one", "data"),
        "The unit of lams: 1, or the mean of the columns' sums of squares over the arm's observations, so that the "
        "candidates grow with the data.",
    ),
    "criterion": Parameter(
        "loo",
        OneOf("loo", "gcv", "kfold", "fixed"),
        "How lambda is chosen: by leave-one-out, generalised or k-fold cross-validation, or fixed (one value in lams).",
    ),
    "ties": Parameter(
        "middle",
        OneOf("smallest", "middle", "largest"),
        "Which lambda is chosen where all have the same error, as for an arm that has seen equal rewards only.",
    ),
    "folds": Parameter(5, Number(2, whole=True), "Number of folds for the criterion kfold."),
    "variance": Parameter(
        "residual",
        OneOf("residual", "literal", "mean"),
        "How the variance of an estimate is scaled: by the residual variance, by the undivided residual sum of "
        "squares, as printed in the paper's boxes, or by the mean squared residual.",
    ),
    "prior_weight": Parameter(
        0.1, Number(0), "Weight of the prior on the residual variance, as a number of observations."
    ),
    "prior_variance": Parameter(
        0.25,
        Number(0, above=True),
        "Residual variance under that prior. The default is the largest variance of a reward between 0 and 1.",
    ),
    "schedule": Parameter(
        {"geometric": 0.05},
        Schedule(),
        "When lambda and the weights are refreshed: after every observation, every b observations, or whenever the "
        "number of observations has grown by a share rho. The estimate itself is updated after every observation.",
    ),
    "propensity": Parameter(
        "exact",
        OneOf("exact", "monte_carlo", "assignment"),
        "How propensities are computed: by quadrature, by the paper's Monte Carlo, or once, when the arm is chosen.",
    ),
    "draws": Parameter(100, Number(1, whole=True), "Number of draws per Monte Carlo propensity."),
    "posteriors": Parameter(
        8,
        NumberOrWord(Number(2, whole=True), "all"),
        "Number of earlier posteriors to keep for contexts that arrive later; memory grows with the rounds if all are.",
    ),
    "propensity_schedule": Parameter(
        {"geometric": 0.2},
        Schedule(),
        "When propensities are recomputed: the periods since the last time are then represented by one of them.",
    ),
    "logistic_c": Parameter(
        1.0, Number(0, above=True), "Inverse penalty C of the logistic regression of arm on context."
    ),
    "logistic_tolerance": Parameter(
        1e-4, Number(0, above=True), "Stopping tolerance of that regression, for the largest entry of the gradient."
    ),
    "epochs": Parameter(
        {"geometric": 0.1},
        Schedule(),
        "When an epoch ends and the distribution over policies is recomputed; in theory, epochs may at most double.",
    ),
    "mu_scale": Parameter(1.0, Number(0, above=True), "Multiplies mu, the amount of exploration given by the theory."),
    "psi": Parameter(100.0, Number(0, above=True), "Tolerance for the estimated regret of a policy; 100 in theory."),
    "delta": Parameter(0.05, Number(0, above=True), "Probability of failure in the formula for mu."),
}
DEFAULTS = {name: parameter.default for name, parameter in PARAMETERS.items()}


def check_names(bandit: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raise ``TypeError`` for a name that is not a parameter of the bandit; the message suggests the closest one."""
    known = list(known)
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"{bandit} has no parameter {name!r}.{hint} Its parameters are {', '.join(known)}.")


def checked(bandit: str, given: Mapping[str, Any], parameters: Mapping[str, Parameter]) -> dict[str, Any]:
    """All ``parameters`` of a bandit, with defaults for those not given; raises ``ValueError`` for an invalid value."""
    check_names(bandit, given, parameters)
    values = {}
    for name, parameter in parameters.items():
        value = given.get(name, parameter.default)
        try:
            values[name] = parameter.kind.read(value)
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
            raise ValueError(f"{name} is {value!r}, but must be {parameter.kind.words}.") from error
    if values.get("criterion") == "fixed" and len(values["lams"]) != 1:
        raise ValueError(f"lams is {values['lams']!r}, but the criterion 'fixed' takes exactly one value.")
    if values.get("criterion") == "fixed" and values["lams_unit"] != "one":
        raise ValueError(f"lams_unit is {values['lams_unit']!r}, but the criterion 'fixed' keeps lambda: use 'one'.")
    return values


def in_numpydoc(cls: Any) -> str:
    """The Parameters section of the docstring of a bandit class, from its constructor and ``PARAMETERS``."""
    signature = inspect.signature(cls.__init__).parameters
    lines = ["Parameters", "----------",
             "n_arms, n_features : int", "    Number of arms, and number of features of a context.",
             "seed : int, default 0", "    Seed of the bandit's random stream."]  # fmt: skip
    for name in cls.parameters():
        default, kind, meaning = cls.PARAMETERS[name]
        annotation = inspect.formatannotation(signature[name].annotation).replace("collections.abc.", "")
        lines.append(f"{name} : {annotation}, default {default!r}")
        lines += textwrap.wrap(f"{meaning} Must be {kind.words}.", 110, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines)
