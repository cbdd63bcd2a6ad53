plugins {
    kotlin("jvm") version "2.1.20"
    application
}

group = "com.acme"
version = "0.2.0"

dependencies {
    implementation("com.acme:risk-model:0.8.2")
}

application {
    mainClass.set("com.acme.console.ConsoleKt")
}
