import { NoticeScreen } from '@/components/app/notice-screen'
import button from '@/components/button.module.css'
import { leaveTo } from '@/lib/leave'

/** The sign-in failed, and opening `url` has told the app; browsers may ask before they open it, hence the button. */
export function AppNotified({ url }: { url: string }) {
  return (
    <NoticeScreen
      title="Sign-in didn't work"
      text="Go back to the app on your Mac. It shows what went wrong and lets you try again."
      announce
    >
      <button
        type="button"
        className={button.primary}
        data-event="back_to_app"
        onClick={() => leaveTo(url)}
      >
        Back to the app on your Mac
      </button>
    </NoticeScreen>
  )
}
