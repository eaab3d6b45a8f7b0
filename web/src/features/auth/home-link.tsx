import { buttonClass } from '@/components/button'
import { paths } from '@/config/paths'

/** The way out of a page of the sign-in; `quiet` below something else to do. */
export function HomeLink({ quiet = false }: { quiet?: boolean }) {
  return (
    <a
      href={paths.home}
      className={buttonClass({ variant: quiet ? 'ghost' : 'secondary' })}
      data-event="return_home"
    >
      Return to Home
    </a>
  )
}
