# Balanced linear contextual bandits: from datasets to the paper's table and figures.
#
#   snakemake --cores N                    everything that config.yaml asks for
#   snakemake --cores N classification     a part: classification, synthetic, figures
#   snakemake --cores N page               the page with the verdicts and all that it needs
#   snakemake --cores N sensitivity        beyond the paper: which of its numbers depend on what it leaves open
#   snakemake --cores N variances          the classification experiment with further readings of the variance
#   snakemake --cores N FILE               one file of results/ or figures/
from snakemake.utils import min_version

min_version("9.0")


configfile: "config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/datasets.smk"
include: "workflow/rules/classification.smk"
include: "workflow/rules/synthetic.smk"
include: "workflow/rules/sensitivity.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/report.smk"


localrules:
    all,
    classification,
    synthetic,
    figures,
    sensitivity,
    variances,


rule all:
    default_target: True
    input:
        rules.classification.input,
        rules.synthetic.input,
        rules.figures.input,
        rules.page.output,


rule sensitivity:
    input:
        rules.atlas.output,
        rules.draw_atlas.output,
        "results/sensitivity/run.json",
    message:
        "The sensitivity atlas is done: {input}"


rule variances:
    input:
        expand(rules.compare.output, part=FURTHER),
        expand(rules.timing.output, part=FURTHER),
        comparison_drawings(FURTHER),
        f"{RESULTS}/run.json",
    message:
        "The classification experiment with further readings of the variance is done: {input}"
