"""Every sentence of the paper that data can speak to, with the claims of the scorecard that judge it, or why none does.

Quotes are the paper's words without its formulas' mark-up, references and citations. ``docs/statements.md`` shows the
list; a test compares both it and the scorecard with this module.
"""

from typing import NamedTuple

from balanced_bandits.analysis.classification.table2 import as_the_paper
from balanced_bandits.analysis.paper import BEST, PAPER_PERCENT, PAPER_ROUNDS, PAPER_SIZES
from balanced_bandits.analysis.synthetic.orderings import paper_pairs
from balanced_bandits.vocabulary import QUANTITIES, SPECIFICATIONS

WELL, MIS = SPECIFICATIONS["well"], SPECIFICATIONS["mis"]


class Statement(NamedTuple):
    """An empirical sentence of the paper."""

    section: str
    quote: str
    claims: tuple[str, ...] = ()  # of the scorecard
    reason: str = ""  # why no claim judges it
    proposal: str = ""  # a claim that could


def better(*pairs: str) -> tuple[str, ...]:
    """The claims on Figure 4 of pairs such as "BLTS LinTS"."""
    return tuple("{} outperforms {}".format(*pair.split()) for pair in pairs)


def more_often(words: str, *pairs: str) -> tuple[str, ...]:
    """The claims that one bandit of a pair finds the optimum more often than the other."""
    return tuple("{} finds the optimum more often than {}, {}".format(*pair.split(), words) for pair in pairs)


def sooner(words: str, first: str, second: str) -> str:
    """The claim that one bandit finds the optimum sooner than another."""
    return f"{first} finds the optimum sooner than {second}, {words}"


def column(spec: str) -> tuple[str, ...]:
    """All claims on one column of Table 1: its percentages and their orderings."""
    bandits = [bandit for of, bandit in PAPER_PERCENT if of == spec]
    percentages = tuple(f"{bandit} finds the optimum, {SPECIFICATIONS[spec]}" for bandit in bandits)
    return percentages + more_often(SPECIFICATIONS[spec], *(" ".join(pair) for pair in paper_pairs(spec, bandits)))


def after(spec: str, bandit: str) -> str:
    """The claim on a find time."""
    rounds = PAPER_ROUNDS[spec, bandit]
    return f"{bandit} finds the optimum after {rounds} observations, {SPECIFICATIONS[spec]}"


BALANCING = better("BLTS LinTS", "BLUCB LinUCB")
BEST_ON_DATASETS = f"{BEST} outperforms all others"
BEST_WELL, BEST_MIS = ((f"{BEST} finds the optimum more often than all others, {words}",) for words in (WELL, MIS))
SIZES = tuple(
    f"{QUANTITIES[name].words} {as_the_paper(stratum, QUANTITIES[name].least)}"
    for name in PAPER_SIZES
    for stratum in QUANTITIES[name].strata
)

NO_BIAS = "The results hold neither the bias nor the variance of estimates."
NO_WEIGHTS = "The results hold no weights of single observations."
ONE_SIMULATION = "The results hold the arms of each context for one simulation only; the figure evolution shows it."
GENERAL = "It is a general expectation, not a result of the paper."

STATEMENTS = [
    Statement(
        "abstract",
        "Contextual bandit algorithms are sensitive to the estimation method of the outcome model as well as the "
        "exploration method used",
        reason=f"{GENERAL} docs/choices.md has the effects of many choices on regret.",
    ),
    Statement(
        "abstract",
        "We demonstrate the strong practical advantage of balanced contextual bandits on a large number of supervised "
        "learning datasets and on a synthetic example that simulates model misspecification and prejudice in the "
        "initial training data.",
        BALANCING + more_often(WELL, "BLTS LinTS", "BLUCB LinUCB") + more_often(MIS, "BLTS LinTS", "BLUCB LinUCB"),
    ),
    Statement(
        "1",
        "In the initial phases of learning when samples are small, biases are likely to arise in estimating the "
        "outcome model using data from previous non-uniform assignments of contexts to arms.",
        reason=NO_BIAS,
    ),
    Statement(
        "1",
        "methods that proceed under the assumption that the functional form for the outcome model is correct may be "
        "overly optimistic about the extent of the learning so far, and emphasize exploitation over exploration.",
        reason=f"{GENERAL} {NO_BIAS}",
    ),
    Statement(
        "1",
        "The balancing will lead to lower estimated precision in the reward functions, and thus will emphasize "
        "exploration longer than the conventional linear TS and UCB algorithms, leading to more robust estimates.",
        reason=f"{NO_BIAS} They count the pulls of each arm, but not which of them explored.",
        proposal="The mean probability of the arm with the highest estimate, by round, of BLTS minus that of LinTS; "
        "runs would have to record it.",
    ),
    Statement(
        "1",
        "We provide extensive and convincing empirical evidence for the effectiveness of BLTS and BLUCB (in comparison "
        "to LinTS and LinUCB) by considering the problem of multiclass classification with bandit feedback.",
        BALANCING,
    ),
    Statement(
        "1",
        "even though BLTS and LinTS share the same theoretical guarantee, BLTS outperforms LinTS empirically.",
        better("BLTS LinTS"),
    ),
    Statement("1", "Similarly, BLUCB has a strong empirical advantage over LinUCB.", better("BLUCB LinUCB")),
    Statement("1", "Thompson sampling performs better in practice than UCB", better("LinTS LinUCB")),
    Statement(
        "1",
        "We find that this is also the case for balanced linear contextual bandits, as in our evaluation BLTS has a "
        "strong empirical advantage over BLUCB.",
        better("BLTS BLUCB"),
    ),
    Statement(
        "1",
        "Overall, in this large-scale evaluation, BLTS outperforms LinUCB, BLUCB and LinTS.",
        better("BLTS LinUCB", "BLTS BLUCB", "BLTS LinTS"),
    ),
    Statement(
        "1", "find again that BLTS is the most effective in escaping these biases.", BEST_WELL + BEST_MIS
    ),
    Statement(
        "2.3",
        "Weighting the observations by the inverse propensity scores reduces bias, but even when the propensity scores "
        "are known it increases variance, particularly when they are small.",
        reason=NO_BIAS,
    ),
    Statement(
        "2.3",
        "Clipping the propensity scores with some threshold γ, e.g. 0.1 helps control the variance increase.",
        reason=f"{NO_BIAS} They have the regret and the share of clipped propensities by γ.",
    ),
    Statement(
        "3",
        "with probability at least 1 - δ, R(T) = ",
        reason="It is proved, not measured (Theorem 1). Data could only be consistent with the bound or contradict it.",
        proposal="The growth of regret with T, d and K in a world that satisfies the assumptions, against the bounds; "
        "it would have to be played.",
    ),
    Statement(
        "3",
        "Thompson sampling based algorithms tend to perform much better in practice",
        better("LinTS LinUCB", "BLTS BLUCB"),
    ),
    Statement(
        "4",
        "We show that BLTS performs better than LinTS and that BLUCB performs better than LinUCB.",
        BALANCING,
    ),
    Statement(
        "4",
        "The randomized assignment nature of Thompson sampling facilitates the estimation of the arms' outcomes models "
        "compared to UCB, and as a result LinTS outperforms LinUCB and BLTS outperforms BLUCB.",
        better("LinTS LinUCB", "BLTS BLUCB"),
    ),
    Statement("4", "Overall, BLTS has the best performance.", (BEST_ON_DATASETS,)),
    Statement("4", "it is also outperformed by BLTS.", better("BLTS ILTCB")),
    Statement(
        "4.1",
        "Model misspecification aggravates the presence of bias in the learned policies.",
        reason=f"{NO_BIAS} The columns of Table 1 count different optima and can't be compared with each other.",
    ),
    Statement(
        "4.1",
        "when training the reward model for the first time, the estimated reward of arm a = 2 (blue) is the highest, "
        "the one of arm a = 1 (yellow) is the second highest and the one of arm a = 0 (red) is the lowest across the "
        "context space.",
        reason="No table of a run has it; docs/choices.md (synthetic.intercept) has the numbers.",
        proposal="The percentage of simulations whose first fit has this order on 95 % of contexts or more, from "
        "first_order in results/synthetic/*/LinTS.npz, which exist.",
    ),
    Statement(
        "4.1",
        "smaller values may lower regret",
        reason="It is quoted from another paper. results/synthetic/rates.csv has the mean regret by α.",
    ),
    Statement(
        "4.1",
        "the uncertainty and the stochastic nature of LinTS leads to a dispersed assignment of arms a=1 and a=2 and to "
        "the crucial assignment of a few contexts to arm a = 0.",
        reason=ONE_SIMULATION,
    ),
    Statement(
        "4.1",
        "Within the first few learning observations, LinTS estimates the outcome models of all three arms correctly "
        "and finds the optimal assignment.",
        (sooner(WELL, "LinTS", "LinUCB"),),
    ),
    Statement(
        "4.1",
        "the deterministic nature of LinUCB assigns entire regions of the context space to the same arm.",
        reason=ONE_SIMULATION,
    ),
    Statement(
        "4.1",
        "not enough contexts are assigned to a=0 and LinUCB delays the correction of bias in the estimation of this "
        "arm.",
        (sooner(WELL, "LinTS", "LinUCB"),),
    ),
    Statement(
        "4.1",
        "the outcome model in the LinUCB bandit has biased coefficients combined with estimated uncertainty that is "
        "too low to incentivize the exploration of arm a = 0 initially.",
        reason=NO_BIAS,
    ),
    Statement("4.1", "LinUCB finds the correct assignment after 240 observations.", (after("well", "LinUCB"),)),
    Statement(
        "4.1",
        "balancing has a significant impact on the performance of UCB, since BLUCB finds the optimal assignment after "
        "110 observations, much faster than LinUCB.",
        (after("well", "BLUCB"), sooner(WELL, "BLUCB", "LinUCB")),
    ),
    Statement(
        "4.1",
        "the few observations of arm a = 0 outside of the context region of the warm-start batch are weighted more "
        "heavily by BLUCB.",
        reason=NO_WEIGHTS,
        proposal="The mean weight of arm 0's observations outside the warm-start region, divided by that of its "
        "warm-start observations, above 1; the example would have to be played again.",
    ),
    Statement(
        "4.1",
        "BLUCB, despite its deterministic nature which complicates estimation, is able to reduce its bias more quickly "
        "via balancing",
        (sooner(WELL, "BLUCB", "LinUCB"),),
    ),
    Statement(
        "4.1",
        "BLTS is also able to find the optimal assignment a few observations earlier than LinTS.",
        (sooner(WELL, "BLTS", "LinTS"),),
    ),
    Statement(
        "4.1",
        "shows the percentage of simulations in which LinTS, LinUCB, BLTS and BLUCB find the optimal assignment within "
        "T = 10000 contexts for the well-specified case.",
        column("well"),
    ),
    Statement("4.1", "BLTS outperforms all other algorithms by a large margin.", BEST_WELL),
    Statement(
        "4.1",
        "during the first time periods, both bandits assign most contexts to arm a = 2 and a few contexts to "
        "arm a = 1.",
        reason=ONE_SIMULATION,
    ),
    Statement(
        "4.1",
        "LinTS finds faster than LinUCB the linearly approximated area in which arm a = 2 is suboptimal.",
        reason="The results hold the agreement with the optimum over all contexts, not over those of one arm.",
        proposal=f"{sooner(MIS, 'LinTS', 'LinUCB')}: a weaker stand-in, from results that exist.",
    ),
    Statement(
        "4.1",
        "both LinTS and LinUCB have trouble identifying that the optimal arm is a = 0.",
        (f"LinTS finds the optimum, {MIS}", f"LinUCB finds the optimum, {MIS}"),
    ),
    Statement(
        "4.1",
        "LinUCB does not assign contexts to arm a = 0 for a long time and therefore, delays to estimate the model of "
        "a = 0 correctly.",
        reason=ONE_SIMULATION,
    ),
    Statement(
        "4.1",
        "LinTS does assign a few contexts to arm a = 0, but they are not enough to quickly correct the estimation bias "
        "of arm a = 0 either.",
        reason=ONE_SIMULATION,
        proposal=f"{sooner(MIS, 'BLTS', 'LinTS')}, from results that exist.",
    ),
    Statement(
        "4.1",
        "BLTS is able to harness the advantages of the stochastic assignment rule of Thompson sampling.",
        more_often(MIS, "BLTS BLUCB"),
    ),
    Statement("4.1", "The few contexts assigned to arm a = 0 are weighted more heavily by BLTS.", reason=NO_WEIGHTS),
    Statement(
        "4.1",
        "BLTS corrects the estimation error of arm a = 0 and finds the (constrained) optimal assignment already after "
        "20 observations.",
        (after("mis", "BLTS"),),
    ),
    Statement(
        "4.1",
        "BLUCB does not handle better than LinUCB the estimation problem created by the deterministic nature of the "
        "assignment in the misspecified case",
        more_often(MIS, "BLUCB LinUCB"),
    ),
    Statement(
        "4.1",
        "shows the percentage of simulations in which LinTS, LinUCB, BLTS and BLUCB find the optimal assignment within "
        "T = 10000 contexts for the misspecified case.",
        column("mis"),
    ),
    Statement("4.1", "Again, BLTS has a strong advantage.", BEST_MIS),
    Statement(
        "4.1",
        "Balancing helps escape biases in the training data and can be more robust in the case of model "
        "misspecification.",
        more_often(WELL, "BLTS LinTS", "BLUCB LinUCB") + more_often(MIS, "BLTS LinTS", "BLUCB LinUCB"),
    ),
    Statement(
        "4.1",
        "this indicates towards their better performance in practice compared to other contextual bandits with linear "
        "realizability assumption.",
        BALANCING,
    ),
    Statement("4.2", "We use 300 multiclass datasets from the Open Media Library (OpenML).", ("All datasets",)),
    Statement("4.2", "summarizes the characteristics of these benchmark datasets.", SIZES),
    Statement(
        "4.2",
        "achieves the statistically optimal regret.",
        reason="It is a theorem of another paper, on ILTCB.",
    ),
    Statement(
        "4.2",
        "BLUCB outperforms LinUCB. BLTS outperforms LinTS, LinUCB, BLUCB, ILTCB.",
        better("BLUCB LinUCB", "BLTS LinTS", "BLTS LinUCB", "BLTS BLUCB", "BLTS ILTCB"),
    ),
    Statement(
        "4.2",
        "the improved model estimation achieved via balancing leads to better practical performance across a large "
        "number of contextual bandit instances. Specifically, BLTS outperforms LinTS and BLUCB outperforms LinUCB.",
        BALANCING,
    ),
    Statement(
        "4.2",
        "deterministic assignment rule bandits are at a disadvantage compared to randomized assignment rule bandits.",
        better("LinTS LinUCB", "LinTS BLUCB", "BLTS LinUCB", "BLTS BLUCB"),
    ),
    Statement("4.2", "BLUCB is outperformed by LinTS.", better("LinTS BLUCB")),
    Statement(
        "4.2",
        "Overall, BLTS which has both balancing and a randomized assignment rule, outperforms all other linear "
        "contextual bandits with strong theoretical guarantees.",
        better("BLTS LinTS", "BLTS LinUCB", "BLTS BLUCB"),
    ),
    Statement("4.2", "BLTS also outperforms the model-agnostic ILTCB algorithm.", better("BLTS ILTCB")),
    Statement(
        "5",
        "A synthetic example simulating covariate shift and model misspecification and a large-scale experiment with "
        "real multiclass classification datasets demonstrated the effectiveness of balancing in contextual bandits, "
        "particularly when coupled with Thompson sampling.",
        (*BALANCING, BEST_ON_DATASETS, *BEST_WELL, *BEST_MIS),
    ),
]  # fmt: skip


def in_markdown() -> str:
    """The list as tables, one per section of the paper."""
    parts = []
    for section in dict.fromkeys(statement.section for statement in STATEMENTS):
        title = "Abstract" if section == "abstract" else f"Section {section}"
        lines = [f"## {title}", "", "| the paper says | judged by |", "| --- | --- |"]
        for statement in STATEMENTS:
            if statement.section == section:
                proposed = f" *Could be:* {statement.proposal}" if statement.proposal else ""
                judged = "; ".join(statement.claims) or f"*Nothing.* {statement.reason}{proposed}"
                lines.append(f"| {statement.quote} | {judged} |")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)
