package com.acme.console

import com.acme.risk.FeatureVector
import com.acme.risk.RiskModel
import com.acme.risk.RiskScore

/** One model under the analyst's eyes. */
class Experiment(private val model: RiskModel) {
    /** The score in words. */
    fun explain(features: FeatureVector): String {
        val score = model.score(features)
        return if (isBoring(score)) "nothing to see" else "${score.band()}: ${score.reasons()}"
    }

    private fun isBoring(score: RiskScore) = score.band() == RiskScore.Band.LOW
}

/** Reads `night=1 velocity=3`. */
fun parseFeatures(line: String): FeatureVector {
    val features = FeatureVector.builder()
    for (pair in line.split(" ")) {
        features.set(pair.substringBefore("="), pair.substringAfter("=").toDouble())
    }
    return features.build()
}
