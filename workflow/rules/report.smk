# In:  the tables of results/SUITE and results/synthetic, the figures, logs/SUITE/timing.csv.
# Out: results/SUITE/scorecard.csv (every claim of the paper with a verdict), results/SUITE/report.html (one page).
# Steps: judge, put on a page.


rule scorecard:
    input:
        script=script("scorecard.py"),
        table1="results/synthetic/table1.csv",
        rates="results/synthetic/rates.csv",
        orderings="results/synthetic/orderings.csv",
        sooner="results/synthetic/sooner.csv",
        claims=f"{RESULTS}/claims.csv",
        table2=rules.table2.output.csv,
    output:
        f"{RESULTS}/scorecard.csv",
    log:
        f"logs/{SUITE}/scorecard.log",
    benchmark:
        f"logs/{SUITE}/scorecard.tsv"
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: 500 * attempt,
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        suite=SUITE,
    message:
        "Holding the paper's claims against the results"
    shell:
        "python {input.script[0]} --table1 {input.table1:q} --rates {input.rates:q} --orderings {input.orderings:q}"
        " --sooner {input.sooner:q} --claims {input.claims:q} --table2 {input.table2:q} --suite {params.suite:q}"
        " --output {output:q} > {log:q} 2>&1"
