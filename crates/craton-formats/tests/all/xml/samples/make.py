"""Writes QuakeML and StationXML samples with ObsPy for the tests. The output is committed unchanged.

    python make.py

ObsPy 1.5.1. The other samples are written by hand in the style of the FDSN web services.
"""

from pathlib import Path

from obspy import Catalog, Inventory, UTCDateTime
from obspy.core.event import (
    CreationInfo,
    Event,
    EventDescription,
    FocalMechanism,
    Magnitude,
    MomentTensor,
    Origin,
    ResourceIdentifier,
    SourceTimeFunction,
    Tensor,
)
from obspy.core.inventory import Channel, Network, Station

HERE = Path(__file__).parent


def identifier(name):
    """An identifier that does not change between runs."""
    return ResourceIdentifier(f"smi:local/{name}")


def origin(name, kind, seconds, latitude, longitude, depth):
    """An origin, `seconds` after 0:33 on 9 June 1994."""
    return Origin(
        resource_id=identifier(name),
        time=UTCDateTime(1994, 6, 9, 0, 33) + seconds,
        latitude=latitude,
        longitude=longitude,
        depth=depth,
        origin_type=kind,
        creation_info=CreationInfo(agency_id="PDE"),
    )


def bolivia():
    """An event with everything."""
    tensor = Tensor(m_rr=-7.59e20, m_tt=7.75e20, m_pp=-1.6e19, m_rt=-2.503e21, m_rp=4.2e19, m_tp=-2.48e20)
    mechanism = FocalMechanism(
        resource_id=identifier("mechanism/1"),
        moment_tensor=MomentTensor(
            resource_id=identifier("tensor/1"),
            derived_origin_id=identifier("origin/centroid"),
            scalar_moment=2.63e21,
            tensor=tensor,
            source_time_function=SourceTimeFunction(type="triangle", duration=40.0),
        ),
    )
    event = Event(
        resource_id=identifier("event/1"),
        event_descriptions=[
            EventDescription("Bolivia", "region name"),
            EventDescription("NORTHERN BOLIVIA", "earthquake name"),
        ],
        origins=[
            origin("origin/centroid", "centroid", 63.46, -13.82, -67.25, 647100.0),
            origin("origin/hypocenter", "hypocenter", 16.4, -13.83, -67.56, 637000.0),
        ],
        magnitudes=[
            Magnitude(resource_id=identifier("magnitude/mb"), mag=6.9, magnitude_type="mb"),
            Magnitude(resource_id=identifier("magnitude/mw"), mag=8.2, magnitude_type="Mwc"),
        ],
        focal_mechanisms=[FocalMechanism(resource_id=identifier("mechanism/0")), mechanism],
    )
    event.preferred_origin_id = identifier("origin/hypocenter")
    event.preferred_magnitude_id = identifier("magnitude/mw")
    event.preferred_focal_mechanism_id = identifier("mechanism/1")
    return event


def small():
    """An event with one origin and nothing else."""
    return Event(resource_id=identifier("event/2"), origins=[origin("origin/2", None, 3600.0, 1.5, 170.25, None)])


catalog = Catalog([bolivia(), small()], resource_id=identifier("catalog"), creation_info=CreationInfo())
catalog.write(str(HERE / "obspy_quakeml.xml"), "QUAKEML")


def channel(code, location, depth, start, end=None, latitude=-22.5):
    """A channel at 70.25 degrees west."""
    return Channel(
        code,
        location,
        latitude=latitude,
        longitude=-70.25,
        elevation=1200.0 - depth,
        depth=depth,
        start_date=UTCDateTime(start, 1, 1),
        end_date=end and UTCDateTime(end, 1, 1),
    )


def station(code, channels=(), start=2000, end=None, latitude=-22.5):
    """A station 1200 m above the sea."""
    return Station(
        code,
        latitude=latitude,
        longitude=-70.25,
        elevation=1200.0,
        channels=list(channels),
        start_date=UTCDateTime(start, 1, 1),
        end_date=end and UTCDateTime(end, 1, 1),
    )


HOLE = [
    channel("BHZ", "00", 0.0, 2000, 2010),
    channel("BHZ", "00", 0.0, 2010),
    channel("LHZ", "10", 0.0, 2005, 2008),
    channel("BHZ", "20", 150.0, 2006, 2012),
]
NETWORKS = [
    Network("CT", [station("HOLE", HOLE), station("FLAT"), station("FLAT", start=2011, end=2015, latitude=-22.75)]),
    Network("CU", [station("HOLE", start=1990, end=1995), station("HOLE", start=1996, end=1999)]),
]
inventory = Inventory(NETWORKS, source="tests", sender="tests")
inventory.created = UTCDateTime(2026, 1, 1)
inventory.write(str(HERE / "obspy_stationxml.xml"), "STATIONXML", validate=True)

SURFACE = [("BHZ", "00"), ("BHN", "00"), ("BHE", "00"), ("LHZ", ""), ("LHN", "")]
DEEP = [("BHZ", "10"), ("BH1", "10"), ("BH2", "10"), ("LDO", "30")]
MOVED = [("HHZ", ""), ("HNZ", "20"), ("HHZ", "B1")]
MANY = [
    Network(
        "CT",
        [
            station(
                "HOLE",
                [channel(code, location, 0.0, 1999, 2012) for code, location in SURFACE]
                + [channel(code, location, 0.0, 2012) for code, location in SURFACE[:4]]
                + [channel(code, location, 150.0, 2006, 2015) for code, location in DEEP],
            ),
            station("MOVE", [channel(*codes, 5.0, 2000, 2011, -22.625) for codes in MOVED], 2001, 2011),
            station("MOVE", [channel(*codes, 0.0, 2011, 2014, -22.75) for codes in MOVED], 2011, 2014, -22.75),
        ],
    ),
    Network("CU", [station("ONE", [channel("BHZ", "", 2.5, 1990)], 1990)]),
]
for number, one in enumerate(channel for network in MANY for station in network for channel in station):
    one.azimuth, one.dip = (30.0 * number) % 360.0, [-90.0, 0.0, 45.0][number % 3]
inventory = Inventory(MANY, source="tests", sender="tests")
inventory.created = UTCDateTime(2026, 1, 1)
inventory.write(str(HERE / "obspy_channels.xml"), "STATIONXML", validate=True)

SELECTIONS = [
    ("*", "*", None),
    ("BH?", "*", None),
    ("bh?", "*", None),
    ("*Z", "00", None),
    ("?H[ZNE]", "*", None),
    ("BH[!Z]", "*", None),
    ("*", "", None),
    ("H*", "", "2005-01-01"),
    ("*", "1?", None),
    ("*", "[0-2]0", "2013-06-01"),
    ("*Z", "*", "1999-06-01"),
    ("*Z", "*", "2000-06-01"),
    ("*Z", "*", "2006-06-01"),
    ("BH?", "10", "2014-12-31"),
    ("BH?", "10", "2016-01-01"),
    ("LX?", "*", None),
]


def selected(codes, location, time):
    """The channels that ObsPy selects, as network.station.location.channel:year of the start."""
    time = time and UTCDateTime(time)
    chosen = inventory.select(channel=codes, location=location, time=time)
    names = [
        f"{network.code}.{station.code}.{channel.location_code}.{channel.code}:{channel.start_date.year}"
        for network in chosen
        for station in network
        for channel in station
    ]
    return " ".join(names)


lines = [f"{codes}|{location}|{time or ''}|{selected(codes, location, time)}\n" for codes, location, time in SELECTIONS]
(HERE / "obspy_selected.txt").write_text("".join(lines))
