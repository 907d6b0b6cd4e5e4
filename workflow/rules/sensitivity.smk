# In:  nothing but the configuration; where a cell is the default, results/synthetic/SPECIFICATION/BANDIT.npz.
# Out: results/sensitivity/runs/CELL/SPECIFICATION/BANDIT.npz,
#      results/sensitivity/{atlas,atlas_orderings,statements,first_fits}.csv.
# Steps: simulate (a job is one cell, specification and bandit), tabulate. Not part of the default run.


rule simulate_cell:
    input:
        script=script("simulate_synthetic.py"),
        bandit=lambda wildcards: bandit_sources(wildcards.bandit),
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
        mem_mb=lambda wildcards, attempt: 600 * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: synthetic_minutes(
            wildcards.bandit, config["sensitivity"]["simulations"]
        )
        * 2 ** (attempt - 1),
    params:
        options=lambda wildcards: synthetic_options(
            wildcards.bandit,
            config["sensitivity"]["simulations"],
            next(cell.choices for cell in CELLS if cell.folder == wildcards.cell),
        ),
    message:
        "{wildcards.bandit} plays the synthetic example, {wildcards.specification}-specified: {wildcards.cell}"
    shell:
        "python {input.script[0]} --specification {wildcards.specification} --bandit {wildcards.bandit}"
        " --options {params.options:q} --optima {input.optima:q} --output {output:q} > {log:q} 2>&1"


rule atlas:
    input:
        script=script("atlas.py"),
        runs=atlas_runs(),
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
        mem_mb=lambda wildcards, attempt: 1500 * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        cells=json.dumps(atlas_cells()),
        criteria=criteria(),
        simulations=config["sensitivity"]["simulations"],
    message:
        "Making the sensitivity atlas"
    shell:
        "python {input.script[0]} --cells {params.cells:q} --criteria {params.criteria:q}"
        " --simulations {params.simulations} --atlas {output.atlas:q} --orderings {output.orderings:q}"
        " --statements {output.statements:q} --first-fits {output.first_fits:q} > {log:q} 2>&1"
