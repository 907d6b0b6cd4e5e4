# In:  nothing but the configuration.
# Out: results/synthetic/SPECIFICATION/BANDIT.npz, results/synthetic/{rates.csv,table1.csv}.
# Steps: simulate (a job is one specification and one bandit, with its whole grid and all simulations), tabulate.


rule simulate_synthetic:
    input:
        script=script("simulate_synthetic.py"),
        bandit=lambda wildcards: module_sources(MODULES[wildcards.bandit]),
    output:
        "results/synthetic/{specification}/{bandit}.npz",
    log:
        "logs/synthetic/simulate/{specification}/{bandit}.log",
    benchmark:
        "logs/synthetic/simulate/{specification}/{bandit}.tsv"
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: 600 * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: (
            5
            + config["synthetic"]["simulations"]
            * config["synthetic"]["horizon"]
            * grid_size(wildcards.bandit)
            // 10**7
        )
        * 2 ** (attempt - 1),
    params:
        options=synthetic_options,
    message:
        "{wildcards.bandit} plays the synthetic example, {wildcards.specification}-specified"
    shell:
        "python {input.script[0]} --specification {wildcards.specification} --bandit {wildcards.bandit}"
        " --options {params.options:q} --output {output:q} > {log:q} 2>&1"


rule table1:
    input:
        script=script("table1.py"),
        runs=expand(
            rules.simulate_synthetic.output,
            specification=["well", "mis"],
            bandit=SYNTHETIC_BANDITS,
        ),
    output:
        rates="results/synthetic/rates.csv",
        table="results/synthetic/table1.csv",
    log:
        "logs/synthetic/table1.log",
    benchmark:
        "logs/synthetic/table1.tsv"
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        agreement=config["synthetic"]["agreement"],
    message:
        "Making Table 1"
    shell:
        "python {input.script[0]} --results {input.runs:q} --agreement {params.agreement}"
        " --rates {output.rates:q} --table {output.table:q} > {log:q} 2>&1"


rule synthetic:
    input:
        rules.table1.output,
        "results/synthetic/run.json",
    message:
        "The synthetic example is done: {input}"
