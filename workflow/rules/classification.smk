# In:  data/SUITE/DATASET.npz.
# Out: results/SUITE/runs/DATASET/BANDIT.npz, results/SUITE/classification.parquet,
#      results/SUITE/{datasets,pairs,counts,claims,strata,ranks,profiles,regrets}.csv, logs/SUITE/timing.csv;
#      the same under results/SUITE/sensitivity, with further readings of the variance (target `variances`).
# Steps: simulate (a job is one dataset and one bandit, with all readings, settings, repeats and shuffles), collect,
#        compare, time.


rule simulate_classification:
    input:
        script=script("simulate_classification.py"),
        bandit=lambda wildcards: bandit_sources(wildcards.bandit),
        dataset=rules.encode.output,
    output:
        f"{RESULTS}{{part}}/runs/{{dataset}}/{{bandit}}.npz",
    log:
        f"logs/{SUITE}{{part}}/simulate/{{dataset}}/{{bandit}}.log",
    benchmark:
        f"logs/{SUITE}{{part}}/simulate/{{dataset}}/{{bandit}}.tsv"
    # Long jobs start first, so that none of them is left to run alone at the end.
    priority: predicted_seconds
    group:
        batch
    conda:
        CONDA
    resources:
        mem_mb=job_megabytes,
        runtime=job_minutes,
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
        runs=classification_runs,
        admitted=admitted(),
    output:
        runs=f"{RESULTS}{{part}}/classification.parquet",
        datasets=f"{RESULTS}{{part}}/datasets.csv",
    log:
        f"logs/{SUITE}{{part}}/collect.log",
    benchmark:
        f"logs/{SUITE}{{part}}/collect.tsv"
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: (1000 + 5 * len(ROWS)) * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        suite=SUITE_OPTIONS,
        families=digest(FAMILIES),
        jobs=lambda wildcards: classification_jobs(wildcards.part),
    message:
        "Collecting the runs of all bandits{wildcards.part}"
    shell:
        "python {input.script[0]} {params.suite:q} --families {params.families} --jobs {params.jobs:q}"
        " --runs {output.runs:q} --accounts {output.datasets:q} > {log:q} 2>&1"


rule compare:
    input:
        script=script("compare.py"),
        runs=rules.collect.output.runs,
        datasets=rules.collect.output.datasets,
    output:
        pairs=f"{RESULTS}{{part}}/pairs.csv",
        counts=f"{RESULTS}{{part}}/counts.csv",
        claims=f"{RESULTS}{{part}}/claims.csv",
        strata=f"{RESULTS}{{part}}/strata.csv",
        ranks=f"{RESULTS}{{part}}/ranks.csv",
        profiles=f"{RESULTS}{{part}}/profiles.csv",
        regrets=f"{RESULTS}{{part}}/regrets.csv",
    log:
        f"logs/{SUITE}{{part}}/compare.log",
    benchmark:
        f"logs/{SUITE}{{part}}/compare.tsv"
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: (1000 + 5 * len(ROWS)) * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        options=comparison,
        folder=lambda wildcards, output: str(Path(output.pairs).parent),
    message:
        "Comparing the bandits pairwise{wildcards.part}"
    shell:
        "python {input.script[0]} --runs {input.runs:q} --datasets {input.datasets:q} --options {params.options:q}"
        " --folder {params.folder:q} > {log:q} 2>&1"


rule timing:
    input:
        script=script("timing.py"),
        runs=lambda wildcards: classification_runs(wildcards),
        datasets=rules.collect.output.datasets,
    output:
        f"logs/{SUITE}{{part}}/timing.csv",
    log:
        f"logs/{SUITE}{{part}}/timing.log",
    benchmark:
        f"logs/{SUITE}{{part}}/timing.tsv"
    localrule: True
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: 500 * attempt,
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        plays=lambda wildcards: json.dumps(
            {bandit: plays(bandit, wildcards.part) for bandit in BANDITS}
        ),
        folder=lambda wildcards, output: str(Path(output[0]).parent / "simulate"),
    message:
        "Holding predicted times against actual ones{wildcards.part}"
    shell:
        "python {input.script[0]} --datasets {input.datasets:q} --plays {params.plays:q} --folder {params.folder:q}"
        " --table {output:q} > {log:q} 2>&1"


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
        expand(rules.compare.output, part=""),
        expand(rules.collect.output, part=""),
        expand(rules.timing.output, part=""),
        rules.table2.output,
        f"{RESULTS}/run.json",
    message:
        "The classification experiment is done: {input}"
