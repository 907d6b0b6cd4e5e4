# In:  data/SUITE/raw/DATASET, data/SUITE/DATASET.npz, for the part of the suite that the budget allows.
# Out: data/SUITE/otherwise/PREPARATION, results/SUITE/multiverse/runs/UNIVERSE/BATCH.npz,
#      results/SUITE/multiverse/{universes,datasets,subset,claims,verdicts,shifts,regrets,spread,settings,tuning}.csv.
# Steps: encode otherwise, simulate (a job is one universe and a batch of datasets, with all bandits that differ from
#        earlier universes), make the tables. Not part of the default run.


rule encode_otherwise:
    input:
        script=script("encode_otherwise.py"),
        source=lambda wildcards: relative(
            sorted(
                {
                    file
                    for name in MULTIVERSE.datasets
                    for file in DATASETS.sources(name)
                }
            )
        ),
        raw=lambda wildcards: expand(rules.fetch.output, dataset=MULTIVERSE.datasets),
        usual=lambda wildcards: expand(rules.encode.output, dataset=MULTIVERSE.datasets),
    output:
        directory(f"data/{SUITE}/otherwise/{{preparation}}"),
    log:
        f"logs/{SUITE}/multiverse/encode/{{preparation}}.log",
    benchmark:
        f"logs/{SUITE}/multiverse/encode/{{preparation}}.tsv"
    conda:
        CONDA
    resources:
        mem_mb=megabytes(2000),
        runtime=minutes(20),
    params:
        suite=str(DATASETS.file),
        datasets=lambda wildcards: MULTIVERSE.datasets,
        raw=rules.fetch.output[0].replace("{dataset}", "DATASET"),
        usual=rules.encode.output[0].replace("{dataset}", "DATASET"),
        how=lambda wildcards: MULTIVERSE.preparations[wildcards.preparation],
    message:
        "Encoding the datasets of the multiverse otherwise: {wildcards.preparation}"
    shell:
        "python {input.script[0]} --suite {params.suite:q} --datasets {params.datasets:q} --raw {params.raw:q}"
        " --usual {params.usual:q} --how {params.how:q} --folder {output:q} > {log:q} 2>&1"


rule simulate_universe:
    input:
        script=script("simulate_universe.py"),
        bandits=lambda wildcards: relative(MULTIVERSE.sources(wildcards.universe)),
        # A folder of its own if the universe encodes otherwise.
        datasets=lambda wildcards: MULTIVERSE.inputs(
            wildcards.universe, wildcards.batch
        ),
    output:
        f"{RESULTS}/multiverse/runs/{{universe}}/{{batch}}.npz",
    log:
        f"logs/{SUITE}/multiverse/simulate/{{universe}}/{{batch}}.log",
    benchmark:
        f"logs/{SUITE}/multiverse/simulate/{{universe}}/{{batch}}.tsv"
    # Long jobs start first, so that none of them runs alone at the end.
    priority: lambda wildcards: MULTIVERSE.job_seconds(wildcards.universe, wildcards.batch)
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: MULTIVERSE.megabytes(
            wildcards.universe, wildcards.batch
        )
        * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: MULTIVERSE.minutes(
            wildcards.universe, wildcards.batch
        )
        * 2 ** (attempt - 1),
    params:
        datasets=lambda wildcards: MULTIVERSE.data(wildcards.universe, wildcards.batch),
        players=lambda wildcards: MULTIVERSE.given(wildcards.universe),
    message:
        "Playing the universe {wildcards.universe}, batch {wildcards.batch}"
    shell:
        "python {input.script[0]} --datasets {params.datasets:q} --players {params.players:q} --output {output:q}"
        " > {log:q} 2>&1"


rule tables_of_multiverse:
    input:
        script=script("multiverse.py"),
        runs=lambda wildcards: MULTIVERSE.runs(),
    output:
        **{name: f"{RESULTS}/multiverse/{name}.csv" for name in MULTIVERSE_TABLES},
    log:
        f"logs/{SUITE}/multiverse/tables.log",
    benchmark:
        f"logs/{SUITE}/multiverse/tables.tsv"
    conda:
        CONDA
    resources:
        mem_mb=megabytes(3000),
        runtime=minutes(30),
    params:
        suite=DATASETS.options,
        plan=lambda wildcards: MULTIVERSE.account(),
        runs=f"{RESULTS}/multiverse/runs",
        folder=lambda wildcards, output: str(Path(output.claims).parent),
    message:
        "Making the tables of the multiverse"
    shell:
        "python {input.script[0]} {params.suite:q} --plan {params.plan:q} --runs {params.runs:q}"
        " --folder {params.folder:q} > {log:q} 2>&1"
