"""A notification server that prints notifications as one JSON object per line."""

import json

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

NAME = "org.freedesktop.Notifications"


def report(event, **what):
    print(json.dumps({"event": event, **what}), flush=True)


class Notifications(dbus.service.Object):
    last = 0

    @dbus.service.method(NAME, in_signature="susssasa{sv}i", out_signature="u")
    def Notify(self, app, replaces, icon, title, text, actions, hints, timeout):
        if not replaces:
            Notifications.last += 1
            replaces = Notifications.last
        report("shown", id=int(replaces), app=str(app), title=str(title), text=str(text), actions=[str(a) for a in actions])
        return dbus.UInt32(replaces)

    @dbus.service.method(NAME, in_signature="u")
    def CloseNotification(self, number):
        report("withdrawn", id=int(number))

    @dbus.service.method(NAME, out_signature="as")
    def GetCapabilities(self):
        return ["actions", "body", "body-markup"]

    @dbus.service.method(NAME, out_signature="ssss")
    def GetServerInformation(self):
        return "test", "test", "1", "1.2"

    @dbus.service.method(NAME, in_signature="u")
    def TestClick(self, number):
        """Emits the signal of a click on a notification."""
        self.ActionInvoked(number, "default")

    @dbus.service.signal(NAME, signature="us")
    def ActionInvoked(self, number, key):
        pass


DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
owned = dbus.service.BusName(NAME, bus)
notifications = Notifications(bus, "/org/freedesktop/Notifications")
GLib.MainLoop().run()
