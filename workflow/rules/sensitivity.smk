# In:  only the configuration; for the default cell, results/synthetic/SPECIFICATION/BANDIT.npz.
# Out: results/sensitivity/runs/CELL/SPECIFICATION/BANDIT.npz,
#      results/sensitivity/{atlas,atlas_orderings,statements,first_fits}.csv.
# Steps: simulate (a job is one cell, specification and bandit), make the tables. Not part of the default run.


rule simulate_cell:
    input:
        script=script("simulate_synthetic.py"),
        bandit=lambda wildcards: relative(PLAN.players.sources(wildcards.bandit)),
        optima=rules.optima.output.optima,
    output:
        "results/sensitivity/runs/{cell}/{specification}/{bandit}.npz",
    log:
        "logs/sensitivity/simulate/{cell}/{specification}/{bandit}.log",
    benchmark:
        "logs/sensitivity/simulate/{cell}/{specification}/{bandit}.tsv"
    conda:
        CONDA
    resources:
        mem_mb=megabytes(600),
        runtime=lambda wildcards, attempt: SYNTHETIC.minutes(
            wildcards.bandit, wildcards.cell
        )
        * 2 ** (attempt - 1),
    params:
        path=lambda wildcards: PLAN.players.path(wildcards.bandit),
        options=lambda wildcards: SYNTHETIC.options(wildcards.bandit, wildcards.cell),
    message:
        "{wildcards.bandit} plays the synthetic example, {wildcards.specification}-specified: {wildcards.cell}"
    shell:
        "python {input.script[0]} --specification {wildcards.specification} --bandit {wildcards.bandit}"
        " --class {params.path:q} --options {params.options:q} --optima {input.optima:q} --output {output:q} > {log:q} 2>&1"


rule atlas:
    input:
        script=script("atlas.py"),
        runs=SYNTHETIC.atlas_runs(),
    output:
        atlas="results/sensitivity/atlas.csv",
        orderings="results/sensitivity/atlas_orderings.csv",
        statements="results/sensitivity/statements.csv",
        first_fits="results/sensitivity/first_fits.csv",
    log:
        "logs/sensitivity/atlas.log",
    benchmark:
        "logs/sensitivity/atlas.tsv"
    conda:
        CONDA
    resources:
        mem_mb=megabytes(1500),
        runtime=minutes(10),
    params:
        cells=json.dumps(SYNTHETIC.atlas()),
        criteria=SYNTHETIC.criteria(),
        simulations=config["sensitivity"]["simulations"],
    message:
        "Making the sensitivity atlas"
    shell:
        "python {input.script[0]} --cells {params.cells:q} --criteria {params.criteria:q}"
        " --simulations {params.simulations} --atlas {output.atlas:q} --orderings {output.orderings:q}"
        " --statements {output.statements:q} --first-fits {output.first_fits:q} > {log:q} 2>&1"
