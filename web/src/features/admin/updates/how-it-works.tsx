import { Card } from '@/components/app/card'
import styles from './how-it-works.module.css'

/** What the switches do, in words. */
export function HowItWorks() {
  return (
    <Card aria-labelledby="how-it-works" className={styles.howItWorks}>
      <h2 id="how-it-works" className={styles.title}>
        How It Works
      </h2>
      <p>
        Releases come from GitHub automatically; Refresh checks right away. A new release starts
        disabled: nobody is offered it until you enable it, unless this installation enables new
        releases by itself.
      </p>
      <p>
        Testers download the newest enabled version. Disabling it brings back the one before. A
        pre-release, such as 1.2.0-beta.1, reaches only who follows its channel, which you can
        choose for any release, whatever it is marked as on GitHub: apps that name the channel, and
        people whom you give it on their page, in their app and as a download.
      </p>
      <p>
        The rollout is the share of installed apps that get an enabled version as an update; the
        others are offered the version before. Raise it step by step: an app that is included stays
        included. Raised daily, it does so by itself: 1, 5, 25 and 100%, a step a day, until you
        choose a percentage; before it is complete, it begins again when the release is enabled or
        was out of reach for apps. Except at 0%, downloads are not affected.
      </p>
      <p>
        A required release is one that older apps on its channel have to update to. It is possible
        at 100% only, and ends when the release is disabled.
      </p>
      <p>
        A build that is uploaded again with other bytes, or under a name that Macs would get
        instead, disables its release until you enable it.
      </p>
      <p>
        GitHub counts every download of its files. This site counts downloads from its own links,
        including updates that load the whole app; one that loads only what has changed is not
        counted, see Versions in use.
      </p>
      <p>Only admins can enable or disable releases.</p>
    </Card>
  )
}
