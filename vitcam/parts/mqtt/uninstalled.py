"""What an MQTT broker keeps of the cameras of this machine goes with the service."""

from vitcam.errors import VitcamError
from vitcam.parts.mqtt.announcer import read_memory
from vitcam.parts.mqtt.settings import MqttSettings
from vitcam.parts.mqtt.withdraw import withdraw
from vitcam.service.network import settings_of
from vitcam.service.places import Instance, Places
from vitcam.storage.owner import owned


def clear_broker(places: Places, instance: Instance) -> str:
    """Clear what the broker of a service that has ended keeps of it, so that it goes from Home Assistant, too.

    returns  why that failed, as one sentence; empty: nothing is kept, or no broker is set
    """
    try:
        settings = settings_of(places, instance)[MqttSettings]
        if not settings.host:
            return ""
        with owned(instance.state(places)).acting() as folder:
            announced = read_memory(folder).topics
        trouble = withdraw(settings, announced)
    except (VitcamError, OSError) as error:
        trouble = str(error)
    return f"{instance.unit}: the broker still keeps what it was told: {trouble}" if trouble else ""
