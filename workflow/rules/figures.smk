# In:  the tables of results/SUITE, results/synthetic, results/sensitivity and results/readings.
# Out: figures/SUITE/*, figures/synthetic/*, figures/sensitivity/*, figures/readings/*, in the formats of the configuration.
# Steps: one rule per row of the catalogue (balanced_bandits/plan/catalogue.py). Figures compute nothing: they show tables.


for figure in FIGURES:

    rule:
        name:
            f"draw_{figure.name}"
        input:
            script=script("draw.py", figure.module),
            tables=PLAN.tables(figure),
            datasets=(
                rules.collect.output.datasets
                if figure.section == "classification"
                else []
            ),
        output:
            drawings(figure),
        log:
            f"logs/{PLAN.folders[figure.section]}/draw/{figure.stem}.log",
        benchmark:
            f"logs/{PLAN.folders[figure.section]}/draw/{figure.stem}.tsv"
        conda:
            CONDA
        resources:
            mem_mb=megabytes(1000),
            runtime=minutes(10),
        params:
            figure=figure.name,
            options=drawing_options(figure),
            datasets=datasets_shown(figure),
            view=lambda wildcards: view_in_words(dict(wildcards)),
        message:
            f"Drawing {figure.shows}{''.join(f', {{wildcards.{name}}}' for name in figure.by)}"
        shell:
            "python {input.script[0]} --figure {params.figure} --tables {input.tables:q} --options {params.options:q}"
            " --outputs {output:q} > {log:q} 2>&1"


rule figures:
    input:
        PLAN.drawn("synthetic", "classification"),
    message:
        "The figures are drawn: {input}"
