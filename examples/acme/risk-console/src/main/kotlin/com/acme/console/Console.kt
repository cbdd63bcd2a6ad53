package com.acme.console

import com.acme.risk.ModelLoader
import java.io.File

/** Scores the transactions that are typed in, one line each. */
fun main(arguments: Array<String>) {
    val model = ModelLoader.load(File(arguments[0]).reader())
    val experiment = Experiment(model)
    generateSequence(::readLine).forEach { line -> println(experiment.explain(parseFeatures(line))) }
}
