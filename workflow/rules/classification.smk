# In:  data/SUITE/DATASET.npz.
# Out: results/SUITE/runs/DATASET/BANDIT.npz, results/SUITE/{classification.parquet,datasets.csv,pairs.csv,counts.csv}.
# Steps: simulate (a job is one dataset and one bandit, with its whole grid and all shuffles), collect, compare.


def classification_options(wildcards):
    """All that a job's result depends on, besides the dataset and the code."""
    options = {key: config[key] for key in ("seed", "shuffles")} | config["ridge"] | config["classification"]
    return json.dumps(options | {"grid": config["bandits"][wildcards.bandit]}, sort_keys=True)


rule simulate_classification:
    message:
        "{wildcards.bandit} plays {wildcards.dataset}"
    input:
        script=script("simulate.py"),
        bandit=lambda wildcards: module_sources(MODULES[wildcards.bandit]),
        dataset=rules.encode.output,
    output:
        f"{RESULTS}/runs/{{dataset}}/{{bandit}}.npz",
    params:
        options=classification_options,
    log:
        f"logs/{SUITE}/simulate/{{dataset}}/{{bandit}}.log",
    benchmark:
        f"logs/{SUITE}/simulate/{{dataset}}/{{bandit}}.tsv"
    resources:
        mem_mb=lambda wildcards, attempt: megabytes(ROWS[wildcards.dataset]) * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: minutes(ROWS[wildcards.dataset], grid_size(wildcards.bandit))
        * 2 ** (attempt - 1),
    conda:
        CONDA
    shell:
        "python {input.script[0]} --dataset {input.dataset:q} --bandit {wildcards.bandit} --options {params.options:q}"
        " --output {output:q} > {log:q} 2>&1"


rule collect:
    message:
        "Collecting the runs of all bandits"
    input:
        script=script("collect.py"),
        runs=expand(rules.simulate_classification.output, dataset=ROWS, bandit=BANDITS),
    output:
        runs=f"{RESULTS}/classification.parquet",
        datasets=f"{RESULTS}/datasets.csv",
    params:
        folder=f"{RESULTS}/runs",
        datasets=list(ROWS),
        bandits=BANDITS,
    log:
        f"logs/{SUITE}/collect.log",
    benchmark:
        f"logs/{SUITE}/collect.tsv"
    resources:
        mem_mb=lambda wildcards, attempt: (1000 + 2 * len(ROWS)) * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: 10 * attempt,
    conda:
        CONDA
    shell:
        "python {input.script[0]} --folder {params.folder:q} --datasets {params.datasets:q} --bandits {params.bandits:q}"
        " --runs {output.runs:q} --accounts {output.datasets:q} > {log:q} 2>&1"


rule compare:
    message:
        "Comparing the bandits pairwise"
    input:
        script=script("compare.py"),
        runs=rules.collect.output.runs,
    output:
        pairs=f"{RESULTS}/pairs.csv",
        counts=f"{RESULTS}/counts.csv",
    params:
        bandits=BANDITS,
    log:
        f"logs/{SUITE}/compare.log",
    benchmark:
        f"logs/{SUITE}/compare.tsv"
    resources:
        mem_mb=lambda wildcards, attempt: (1000 + 2 * len(ROWS)) * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: 10 * attempt,
    conda:
        CONDA
    shell:
        "python {input.script[0]} --runs {input.runs:q} --bandits {params.bandits:q}"
        " --pairs {output.pairs:q} --counts {output.counts:q} > {log:q} 2>&1"


rule record:
    message:
        "Recording the settings, versions and revision behind results/{wildcards.experiment}"
    output:
        "results/{experiment}/run.json",
    params:
        account=provenance.account(config),
    log:
        "logs/{experiment}/record.log",
    localrule: True
    resources:
        mem_mb=lambda wildcards, attempt: 100 * attempt,
        runtime=lambda wildcards, attempt: attempt,
    conda:
        CONDA
    shell:
        "printf '%s' {params.account:q} > {output:q} 2> {log:q}"


rule classification:
    message:
        "The classification experiment is done: {input}"
    input:
        rules.compare.output,
        rules.collect.output,
        f"{RESULTS}/run.json",
