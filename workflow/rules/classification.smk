# In:  data/SUITE/DATASET.npz.
# Out: results/SUITE/runs/DATASET/BANDIT.npz, results/SUITE/classification.parquet,
#      results/SUITE/{datasets,pairs,counts,claims,strata,ranks,profiles,differences}.csv, logs/SUITE/timing.csv;
#      results/SUITE/calibration (target `calibration`).
# Steps: simulate (a job is one dataset and one bandit, with all readings, settings, copies and shuffles), collect,
#        compare, report run times; play copies of the same bandit, count false alarms.


rule simulate_classification:
    input:
        script=script("simulate_classification.py"),
        bandit=lambda wildcards: relative(PLAN.players.sources(wildcards.bandit)),
        dataset=rules.encode.output,
    output:
        f"{RESULTS}/runs/{{dataset}}/{{bandit}}.npz",
    log:
        f"logs/{SUITE}/simulate/{{dataset}}/{{bandit}}.log",
    benchmark:
        f"logs/{SUITE}/simulate/{{dataset}}/{{bandit}}.tsv"
    # Long jobs start first, so that none of them runs alone at the end.
    priority: lambda wildcards: CLASSIFICATION.seconds(wildcards.dataset, wildcards.bandit)
    group:
        group_of
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: CLASSIFICATION.megabytes(
            wildcards.dataset, wildcards.bandit
        )
        * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: CLASSIFICATION.minutes(
            wildcards.dataset, wildcards.bandit
        )
        * 2 ** (attempt - 1),
    params:
        path=lambda wildcards: PLAN.players.path(wildcards.bandit),
        options=lambda wildcards: CLASSIFICATION.options(
            wildcards.dataset, wildcards.bandit
        ),
    message:
        "{wildcards.bandit} plays {wildcards.dataset}"
    shell:
        "python {input.script[0]} --dataset {input.dataset:q} --bandit {wildcards.bandit} --class {params.path:q}"
        " --options {params.options:q} --output {output:q} > {log:q} 2>&1"


rule collect:
    input:
        script=script("collect.py"),
        runs=CLASSIFICATION.runs(),
        # With `strict`, blocks the tables if a dataset can't be played; makes no run stale.
        admitted=rules.admit.output if config["strict"] else [],
    output:
        runs=f"{RESULTS}/classification.parquet",
        curves=f"{RESULTS}/curves.parquet",
        datasets=f"{RESULTS}/datasets.csv",
    log:
        f"logs/{SUITE}/collect.log",
    benchmark:
        f"logs/{SUITE}/collect.tsv"
    conda:
        CONDA
    resources:
        mem_mb=megabytes(1000 + 5 * len(DATASETS.rows)),
        runtime=minutes(10),
    params:
        suite=DATASETS.options,
        families=digest(DATASETS.families),
        jobs=CLASSIFICATION.jobs(),
    message:
        "Collecting the runs of all bandits"
    shell:
        "python {input.script[0]} {params.suite:q} --families {params.families} --jobs {params.jobs:q}"
        " --runs {output.runs:q} --curves {output.curves:q} --accounts {output.datasets:q} > {log:q} 2>&1"


rule compare:
    input:
        script=script("compare.py"),
        runs=rules.collect.output.runs,
        datasets=rules.collect.output.datasets,
    output:
        **{name: f"{RESULTS}/{name}.csv" for name in COMPARISONS},
        scores=f"{RESULTS}/scores.parquet",
    log:
        f"logs/{SUITE}/compare.log",
    benchmark:
        f"logs/{SUITE}/compare.tsv"
    conda:
        CONDA
    resources:
        mem_mb=megabytes(1000 + 5 * len(DATASETS.rows)),
        runtime=minutes(10),
    params:
        options=CLASSIFICATION.comparison(),
        folder=lambda wildcards, output: str(Path(output.pairs).parent),
    message:
        "Comparing the bandits pairwise"
    shell:
        "python {input.script[0]} --runs {input.runs:q} --datasets {input.datasets:q} --options {params.options:q}"
        " --folder {params.folder:q} > {log:q} 2>&1"


rule timing:
    input:
        script=script("timing.py"),
        runs=CLASSIFICATION.runs(),
        datasets=rules.collect.output.datasets,
    output:
        f"logs/{SUITE}/timing.csv",
    log:
        f"logs/{SUITE}/timing.log",
    benchmark:
        f"logs/{SUITE}/timing.tsv"
    localrule: True
    conda:
        CONDA
    resources:
        mem_mb=megabytes(500),
        runtime=minutes(10),
    params:
        plays=json.dumps(
            {
                bandit: CLASSIFICATION.plays(bandit, 1)
                for bandit in CLASSIFICATION.bandits
            }
        ),
        folder=lambda wildcards, output: str(Path(output[0]).parent / "simulate"),
    message:
        "Comparing predicted with actual times"
    shell:
        "python {input.script[0]} --datasets {input.datasets:q} --plays {params.plays:q} --folder {params.folder:q}"
        " --table {output:q} > {log:q} 2>&1"


rule simulate_calibration:
    input:
        script=script("simulate_classification.py"),
        bandit=lambda wildcards: relative(PLAN.players.sources(wildcards.bandit)),
        dataset=rules.encode.output,
    output:
        f"{RESULTS}/calibration/runs/{{dataset}}/{{bandit}}.npz",
    log:
        f"logs/{SUITE}/calibration/simulate/{{dataset}}/{{bandit}}.log",
    benchmark:
        f"logs/{SUITE}/calibration/simulate/{{dataset}}/{{bandit}}.tsv"
    priority: lambda wildcards: PLAN.calibration.seconds(wildcards.dataset, wildcards.bandit)
    group:
        group_of
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: CLASSIFICATION.megabytes(
            wildcards.dataset, wildcards.bandit
        )
        * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: PLAN.calibration.minutes(
            wildcards.dataset, wildcards.bandit
        )
        * 2 ** (attempt - 1),
    params:
        path=lambda wildcards: PLAN.players.path(wildcards.bandit),
        options=lambda wildcards: PLAN.calibration.options(
            wildcards.dataset, wildcards.bandit
        ),
    message:
        "Copies of {wildcards.bandit} play {wildcards.dataset}"
    shell:
        "python {input.script[0]} --dataset {input.dataset:q} --bandit {wildcards.bandit} --class {params.path:q}"
        " --options {params.options:q} --output {output:q} > {log:q} 2>&1"


rule calibrate:
    input:
        script=script("calibrate.py"),
        runs=PLAN.calibration.runs(),
    output:
        f"{RESULTS}/calibration/calibration.csv",
    log:
        f"logs/{SUITE}/calibration/calibrate.log",
    benchmark:
        f"logs/{SUITE}/calibration/calibrate.tsv"
    conda:
        CONDA
    resources:
        mem_mb=megabytes(1000 + 5 * len(DATASETS.rows)),
        runtime=minutes(10),
    params:
        suite=["--suite", str(DATASETS.file)],
        only=PLAN.calibration.datasets(),
        jobs=PLAN.calibration.jobs(),
        seed=config["seed"],
    message:
        "Counting how often tests see a difference between copies of one bandit"
    shell:
        "python {input.script[0]} {params.suite:q} --datasets {params.only:q} --jobs {params.jobs:q}"
        " --seed {params.seed} --output {output:q} > {log:q} 2>&1"


rule record:
    output:
        "results/{experiment}/run.json",
    log:
        "logs/{experiment}/record.log",
    benchmark:
        "logs/{experiment}/record.tsv"
    # First of all, so that results always say which suite they belong to.
    priority: 10**10
    localrule: True
    conda:
        CONDA
    resources:
        mem_mb=megabytes(100),
        runtime=minutes(1),
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
        rules.timing.output,
        rules.table2.output,
        f"{RESULTS}/run.json",
    message:
        "The classification experiment is done: {input}"
