import { toastError } from '@/components/app/toast'
import { Tooltip } from '@/components/app/tooltip'
import { Button } from '@/components/button'
import { problemText } from '@/lib/api/problem'
import { useAppDispatch } from '@/store/hooks'
import { callFailed } from '@/store/sign-in-slice'
import { useDownload } from './use-download'

interface ExportButtonProps {
  /** What is saved, such as 'tickets'. */
  what: string
  /** The route of the API that writes the file, and the filter as it takes it. */
  route: string
  params: Record<string, string>
  /** What the file is called when the API gives it no name. */
  fallbackName: string
  size?: 'dense' | 'md'
  /** What the button says when it is pointed at. */
  hint?: string
}

/** Saves everything that matches a filter as a CSV file, what is on other pages as well. */
export function ExportButton(props: ExportButtonProps) {
  const { what, route, params, fallbackName, size = 'dense', hint } = props
  const { busy, save } = useDownload()
  const dispatch = useAppDispatch()

  const exportAll = () =>
    save(route, params, fallbackName).catch((error: unknown) => {
      toastError('Error', problemText(error, `Failed to export ${what}`))
      dispatch(callFailed(error))
    })

  return (
    <Tooltip text={hint ?? `All ${what} that match, as a CSV file`}>
      <Button
        size={size}
        variant="secondary"
        pending={busy}
        data-event="export_csv"
        onClick={() => void exportAll()}
      >
        {busy ? 'Exporting...' : 'Export CSV'}
      </Button>
    </Tooltip>
  )
}
