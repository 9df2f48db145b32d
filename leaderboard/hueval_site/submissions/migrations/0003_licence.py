from django.db import migrations, models

import hueval_site.accounts.names


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0002_broken_off"),
    ]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="licence",
            field=models.CharField(
                blank=True,
                help_text="of the model, such as Apache-2.0",
                max_length=60,
                validators=[hueval_site.accounts.names.plain_name],
                verbose_name="licence",
            ),
        ),
    ]
