from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("knowledge", "0001_initial"),
    ]

    operations = [
        migrations.RemoveField("policycheck", "over_limit"),
        migrations.AddField(
            "policycheck", "over_limit", models.JSONField(blank=True, default=list)
        ),
    ]
