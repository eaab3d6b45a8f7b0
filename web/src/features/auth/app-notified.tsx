import { NoticeScreen } from '@/components/app/notice-screen'
import { BackToApp } from './back-to-app'

/** The sign-in failed, and opening `url` has told the app; browsers may ask before they open it, hence the button. */
export function AppNotified({ url }: { url: string }) {
  return (
    <NoticeScreen
      title="Sign-in didn't work"
      text="Go back to the app on your Mac. It shows what went wrong and lets you try again."
      announce
    >
      <BackToApp url={url} />
    </NoticeScreen>
  )
}
