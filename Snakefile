# Balanced linear contextual bandits: from datasets to the paper's table and figures.
#
#   snakemake --cores N                    everything that config.yaml asks for
#   snakemake --cores N classification     a part: classification, synthetic, figures
#   snakemake --cores N FILE               one file of results/ or figures/
from snakemake.utils import min_version

min_version("9.0")


configfile: "config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/datasets.smk"
include: "workflow/rules/classification.smk"
include: "workflow/rules/synthetic.smk"
include: "workflow/rules/figures.smk"


localrules:
    all,
    classification,
    synthetic,
    figures,


rule all:
    default_target: True
    input:
        rules.classification.input,
        rules.synthetic.input,
        rules.figures.input,
