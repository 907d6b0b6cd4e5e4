# In:  nothing but the configuration; where a cell is the default, results/synthetic/SPECIFICATION/BANDIT.npz.
# Out: results/sensitivity/runs/CELL/SPECIFICATION/BANDIT.npz,
#      results/sensitivity/{atlas,atlas_orderings,statements,first_fits}.csv.
# Steps: simulate (a job is one cell, specification and bandit), tabulate. Not part of the default run.

CELL_OF = {bandit: distinct(CELLS, bandit) for bandit in SYNTHETIC_BANDITS}
CELL_BY_FOLDER = {cell.folder: cell for cell in CELLS}


def run_of(cell, specification, bandit):
    """The result of a cell; what differs for other bandits only is played once, and the default is played already."""
    played = CELL_OF[bandit][cell.name]
    if played == CELLS[0]:
        return f"results/synthetic/{specification}/{bandit}.npz"
    return f"results/sensitivity/runs/{played.folder}/{specification}/{bandit}.npz"


ATLAS_CELLS = [
    {
        "name": cell.name,
        "varied": cell.varied,
        "levels": cell.levels,
        "runs": {
            spec: {bandit: run_of(cell, spec, bandit) for bandit in SYNTHETIC_BANDITS}
            for spec in ("well", "mis")
        },
    }
    for cell in CELLS
]


rule simulate_cell:
    input:
        script=script("simulate_synthetic.py"),
        bandit=lambda wildcards: module_sources(MODULES[wildcards.bandit]),
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
            CELL_BY_FOLDER[wildcards.cell].choices,
        ),
    message:
        "{wildcards.bandit} plays the synthetic example, {wildcards.specification}-specified: {wildcards.cell}"
    shell:
        "python {input.script[0]} --specification {wildcards.specification} --bandit {wildcards.bandit}"
        " --options {params.options:q} --optima {input.optima:q} --output {output:q} > {log:q} 2>&1"


rule atlas:
    input:
        script=script("atlas.py"),
        runs=sorted(
            {
                path
                for cell in ATLAS_CELLS
                for runs in cell["runs"].values()
                for path in runs.values()
            }
        ),
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
        cells=json.dumps(ATLAS_CELLS),
        criteria=criteria(),
        simulations=config["sensitivity"]["simulations"],
    message:
        "Making the sensitivity atlas"
    shell:
        "python {input.script[0]} --cells {params.cells:q} --criteria {params.criteria:q}"
        " --simulations {params.simulations} --atlas {output.atlas:q} --orderings {output.orderings:q}"
        " --statements {output.statements:q} --first-fits {output.first_fits:q} > {log:q} 2>&1"
