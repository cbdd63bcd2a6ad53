rootProject.name = "risk-console"
