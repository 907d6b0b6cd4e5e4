# In:  results/SUITE/{pairs,counts,datasets}.csv.
# Out: figures/SUITE/pairwise_grid.{pdf,svg,png}.
# A figure never computes: it draws a table.


rule draw_pairwise:
    input:
        script=script("draw_pairwise.py"),
        pairs=rules.compare.output.pairs,
        counts=rules.compare.output.counts,
        datasets=rules.collect.output.datasets,
    output:
        expand(
            f"{FIGURES}/pairwise_grid.{{format}}", format=config["figures"]["formats"]
        ),
    log:
        f"logs/{SUITE}/draw_pairwise.log",
    benchmark:
        f"logs/{SUITE}/draw_pairwise.tsv"
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        bandits=BANDITS,
    message:
        "Drawing the pairwise grid"
    shell:
        "python {input.script[0]} --pairs {input.pairs:q} --counts {input.counts:q} --datasets {input.datasets:q}"
        " --bandits {params.bandits:q} --outputs {output:q} > {log:q} 2>&1"


rule figures:
    input:
        rules.draw_pairwise.output,
    message:
        "The figures are drawn: {input}"
