# In:  only the configuration.
# Out: results/synthetic/{optima.npz,surfaces.csv}, results/synthetic/SPECIFICATION/BANDIT.npz, and
#      results/synthetic/{rates,criteria,table1,orderings,sooner,curves}.csv, table1.md, table1.tex, evolution.npz.
# Steps: compute the optima, simulate (a job is one specification and one bandit, with its whole grid and all
#        simulations), make the tables.


rule optima:
    input:
        script=script("optima.py"),
    output:
        optima="results/synthetic/optima.npz",
        surfaces="results/synthetic/surfaces.csv",
    log:
        "logs/synthetic/optima.log",
    benchmark:
        "logs/synthetic/optima.tsv"
    conda:
        CONDA
    resources:
        mem_mb=megabytes(600),
        runtime=minutes(10),
    message:
        "Computing the optima of the synthetic example"
    shell:
        "python {input.script[0]} --optima {output.optima:q} --surfaces {output.surfaces:q} > {log:q} 2>&1"


rule simulate_synthetic:
    input:
        script=script("simulate_synthetic.py"),
        bandit=lambda wildcards: relative(PLAN.players.sources(wildcards.bandit)),
        optima=rules.optima.output.optima,
    output:
        "results/synthetic/{specification}/{bandit}.npz",
    log:
        "logs/synthetic/simulate/{specification}/{bandit}.log",
    benchmark:
        "logs/synthetic/simulate/{specification}/{bandit}.tsv"
    priority: lambda wildcards: SYNTHETIC.seconds(wildcards.bandit)
    conda:
        CONDA
    resources:
        mem_mb=megabytes(1000),
        runtime=lambda wildcards, attempt: SYNTHETIC.minutes(wildcards.bandit)
        * 2 ** (attempt - 1),
    params:
        path=lambda wildcards: PLAN.players.path(wildcards.bandit),
        options=lambda wildcards: SYNTHETIC.options(wildcards.bandit),
    message:
        "{wildcards.bandit} plays the synthetic example, {wildcards.specification}-specified"
    shell:
        "python {input.script[0]} --specification {wildcards.specification} --bandit {wildcards.bandit}"
        " --class {params.path:q} --options {params.options:q} --optima {input.optima:q} --output {output:q} > {log:q} 2>&1"


rule table1:
    input:
        script=script("table1.py"),
        optima=rules.optima.output.optima,
        runs=expand(
            rules.simulate_synthetic.output,
            specification=SYNTHETIC.specifications,
            bandit=SYNTHETIC.bandits,
        ),
    output:
        multiext(
            "results/synthetic/",
            "rates.csv",
            "criteria.csv",
            "table1.csv",
            "table1.md",
            "table1.tex",
            "orderings.csv",
            "sooner.csv",
            "curves.csv",
            "evolution.npz",
        ),
    log:
        "logs/synthetic/table1.log",
    benchmark:
        "logs/synthetic/table1.tsv"
    conda:
        CONDA
    resources:
        mem_mb=megabytes(1500),
        runtime=minutes(10),
    params:
        criteria=SYNTHETIC.criteria(),
        folder=subpath(output[0], parent=True),
    message:
        "Making Table 1"
    shell:
        "python {input.script[0]} --results {input.runs:q} --optima {input.optima:q} --criteria {params.criteria:q}"
        " --folder {params.folder:q} > {log:q} 2>&1"


rule synthetic:
    input:
        rules.table1.output,
        rules.optima.output,
        "results/synthetic/run.json",
    message:
        "The synthetic example is done: {input}"
