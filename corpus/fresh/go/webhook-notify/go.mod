module hooks.example.net/notify

go 1.18
