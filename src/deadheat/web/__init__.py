"""The dashboard: `deadheat serve`.

`application.create_app` makes the application from `services.Services` and the route table in `routes`. A request reads one
`snapshot.LakeSnapshot`, which `reader.LakeReader` replaces when the lake changes; `sighting_index` finds the sightings of a
race without reading all of them. Each page has a model in `models`, which is also its JSON.
"""
