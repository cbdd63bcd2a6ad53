from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("repositories", "0002_trace"),
        ("tenancy", "0002_github"),
    ]

    operations = [
        migrations.AddField(
            model_name="repository",
            name="retired_at",
            field=models.DateTimeField(
                blank=True,
                help_text="It is invisible; what it holds is being purged",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="repository",
            name="visibility_at",
            field=models.DateTimeField(
                blank=True,
                help_text="When the forge said so, by its clock; empty: unknown",
                null=True,
            ),
        ),
        migrations.AddIndex(
            model_name="repository",
            index=models.Index(
                condition=models.Q(("retired_at__isnull", False)),
                fields=["retired_at"],
                name="repository_retired",
            ),
        ),
        migrations.CreateModel(
            name="Push",
            fields=[
                (
                    "repository",
                    models.OneToOneField(
                        on_delete=models.deletion.CASCADE,
                        primary_key=True,
                        related_name="push",
                        serialize=False,
                        to="repositories.repository",
                    ),
                ),
                ("commit_sha", models.CharField(max_length=64)),
                ("pushed_at", models.DateTimeField(help_text="By the forge's clock")),
                (
                    "is_pending",
                    models.BooleanField(
                        default=True, help_text="Neither known to be indexed nor noted as behind"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "pushes",
                "indexes": [
                    models.Index(
                        condition=models.Q(("is_pending", True)),
                        fields=["pushed_at"],
                        name="push_pending",
                    )
                ],
            },
        ),
    ]
