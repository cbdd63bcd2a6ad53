from django.db import migrations, models
from django.db.models.functions import Length

SHORT = 1_000  # characters, of which a rule has no more than 500 values or one of 2,000


def look_again(apps, _):
    """Have the worker find the rules that are beyond the new bounds."""
    checks = apps.get_model("knowledge", "PolicyCheck").objects.annotate(
        size=Length("policy__rule")
    )
    checks.filter(size__gt=SHORT).update(rule_version=0)


class Migration(migrations.Migration):
    dependencies = [
        ("knowledge", "0002_paths_over_limit"),
    ]

    operations = [
        migrations.AddField(
            "policycheck", "not_run", models.TextField(blank=True, db_default="", default="")
        ),
        migrations.AddIndex(
            "policycheck",
            models.Index(
                fields=["repository"],
                condition=models.Q(("not_run", ""), _negated=True),
                name="check_of_policy_not_run",
            ),
        ),
        migrations.RunPython(look_again, migrations.RunPython.noop),
    ]
