# Balanced linear contextual bandits: from datasets to the paper's table and figures.
#
#   snakemake --cores N                    everything in config.yaml
#   snakemake --cores N classification     a part: classification, synthetic, figures
#   snakemake --cores N page               the page with the verdicts, and everything it needs
#   snakemake --cores N calibration        how often tests see a difference where there is none
#   snakemake --cores N multiverse         beyond the paper: its claims on datasets under the choices that it leaves open
#   snakemake --cores N sensitivity        beyond the paper: how its numbers depend on the choices that it leaves open
#   snakemake --cores N readings           which reading of the synthetic example made the paper's Table 1
#   snakemake --cores N FILE               one file of results/ or figures/
from snakemake.utils import min_version

min_version("9.0")


configfile: "config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/datasets.smk"
include: "workflow/rules/classification.smk"
include: "workflow/rules/multiverse.smk"
include: "workflow/rules/synthetic.smk"
include: "workflow/rules/sensitivity.smk"
include: "workflow/rules/readings.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/report.smk"


localrules:
    all,
    classification,
    synthetic,
    figures,
    calibration,
    multiverse,
    sensitivity,
    readings,


rule all:
    default_target: True
    input:
        rules.classification.input,
        rules.synthetic.input,
        rules.figures.input,
        rules.page.output,


rule calibration:
    input:
        rules.calibrate.output,
        PLAN.drawn("calibration"),
    message:
        "The calibration is done: {input}"


rule multiverse:
    input:
        rules.tables_of_multiverse.output,
        PLAN.drawn("multiverse"),
        f"{RESULTS}/run.json",
    message:
        "The multiverse is done: {input}"


rule sensitivity:
    input:
        rules.atlas.output,
        PLAN.drawn("sensitivity"),
        "results/sensitivity/run.json",
    message:
        "The sensitivity atlas is done: {input}"


rule readings:
    input:
        rules.tabulate_readings.output,
        PLAN.drawn("readings"),
        "results/readings/run.json",
    message:
        "The search for the reading that made Table 1 is done: {input}"
