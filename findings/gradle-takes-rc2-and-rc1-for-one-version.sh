#!/usr/bin/env bash
# Gradle 8.11.1 (dev.gradleplugins:gradle-api, which holds Gradle's own classes; 180 MB), run on 2026-11-28.
# One would guess: words in versions are compared without regard to case, so that 1.0-RC2 is newer than 1.0-rc1.
# What happens: two spellings of a word with a meaning of its own (rc, snapshot, final, ga, release, sp, dev) end the
# comparison: 1.0-RC2 and 1.0-rc1 are equal, whatever follows. 1.0-RC1 is older than 1.0-RC2, and both equal 1.0-rc1.
# Seen: RC2:RC1=1 RC2:rc1=0 RC1:rc1=0 SNAPSHOT.3:snapshot.1=0
# Why it matters: which candidate of a dynamic version or of a conflict is chosen depends on the order in which a
# repository lists them, and sorting such versions has no defined result.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
mvn -q -B -Dmaven.repo.local="$tmp/m2" dependency:get -Dartifact=dev.gradleplugins:gradle-api:8.11.1 \
  -Dtransitive=false >/dev/null 2>&1
cat > "$tmp/Say.java" <<'JAVA'
import org.gradle.api.internal.artifacts.ivyservice.ivyresolve.strategy.*;

class Say {
    public static void main(String[] asked) {
        var parser = new VersionParser();
        var order = new DefaultVersionComparator().asVersionComparator();
        for (String pair : asked) {
            var both = pair.split(":");
            int found = order.compare(parser.transform("1.0-" + both[0]), parser.transform("1.0-" + both[1]));
            System.out.print(pair + "=" + found + " ");
        }
    }
}
JAVA
jar=$(find "$tmp/m2" -name 'gradle-api-8.11.1.jar')
seen=$(java -cp "$jar" "$tmp/Say.java" RC2:RC1 RC2:rc1 RC1:rc1 SNAPSHOT.3:snapshot.1)
want='RC2:RC1=1 RC2:rc1=0 RC1:rc1=0 SNAPSHOT.3:snapshot.1=0 '
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
