# In:  data/SUITE/DATASET.npz.
# Out: results/SUITE/runs/DATASET/BANDIT.npz, results/SUITE/{classification.parquet,datasets.csv,pairs.csv,counts.csv}.
# Steps: simulate (a job is one dataset and one bandit, with its whole grid and all shuffles), collect, compare.


rule simulate_classification:
    input:
        script=script("simulate_classification.py"),
        bandit=lambda wildcards: module_sources(MODULES[wildcards.bandit]),
        dataset=rules.encode.output,
    output:
        f"{RESULTS}/runs/{{dataset}}/{{bandit}}.npz",
    log:
        f"logs/{SUITE}/simulate/{{dataset}}/{{bandit}}.log",
    benchmark:
        f"logs/{SUITE}/simulate/{{dataset}}/{{bandit}}.tsv"
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: megabytes(ROWS[wildcards.dataset])
        * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: minutes(
            ROWS[wildcards.dataset], grid_size(wildcards.bandit)
        )
        * 2 ** (attempt - 1),
    params:
        options=classification_options,
    message:
        "{wildcards.bandit} plays {wildcards.dataset}"
    shell:
        "python {input.script[0]} --dataset {input.dataset:q} --bandit {wildcards.bandit} --options {params.options:q}"
        " --output {output:q} > {log:q} 2>&1"


rule collect:
    input:
        script=script("collect.py"),
        runs=expand(rules.simulate_classification.output, dataset=ROWS, bandit=BANDITS),
    output:
        runs=f"{RESULTS}/classification.parquet",
        datasets=f"{RESULTS}/datasets.csv",
    log:
        f"logs/{SUITE}/collect.log",
    benchmark:
        f"logs/{SUITE}/collect.tsv"
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: (1000 + 2 * len(ROWS)) * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        folder=lambda wildcards, output: str(Path(output.runs).parent / "runs"),
        datasets=list(ROWS),
        bandits=BANDITS,
    message:
        "Collecting the runs of all bandits"
    shell:
        "python {input.script[0]} --folder {params.folder:q} --datasets {params.datasets:q} --bandits {params.bandits:q}"
        " --runs {output.runs:q} --accounts {output.datasets:q} > {log:q} 2>&1"


rule compare:
    input:
        script=script("compare.py"),
        runs=rules.collect.output.runs,
    output:
        pairs=f"{RESULTS}/pairs.csv",
        counts=f"{RESULTS}/counts.csv",
    log:
        f"logs/{SUITE}/compare.log",
    benchmark:
        f"logs/{SUITE}/compare.tsv"
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: (1000 + 2 * len(ROWS)) * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        bandits=BANDITS,
    message:
        "Comparing the bandits pairwise"
    shell:
        "python {input.script[0]} --runs {input.runs:q} --bandits {params.bandits:q}"
        " --pairs {output.pairs:q} --counts {output.counts:q} > {log:q} 2>&1"


rule record:
    output:
        "results/{experiment}/run.json",
    log:
        "logs/{experiment}/record.log",
    benchmark:
        "logs/{experiment}/record.tsv"
    localrule: True
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: 100 * attempt,
        runtime=lambda wildcards, attempt: attempt,
    params:
        account=provenance.account(config),
    message:
        "Recording the settings, versions and revision behind results/{wildcards.experiment}"
    shell:
        "(printf '%s' {params.account:q} > {output:q}.part && mv {output:q}.part {output:q}) 2> {log:q}"


rule classification:
    input:
        rules.compare.output,
        rules.collect.output,
        rules.table2.output,
        f"{RESULTS}/run.json",
    message:
        "The classification experiment is done: {input}"
