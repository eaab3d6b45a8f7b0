import { Box, chakra, Flex, Text } from '@chakra-ui/react'
import { type DragEvent, type FormEvent, useRef, useState } from 'react'
import { Alert } from '@/components/app/alert'
import { Dialog, DialogForm } from '@/components/app/dialog'
import { Button } from '@/components/button'
import { formatBytes } from '@/lib/numbers'
import { useFocusFallback } from '@/lib/use-focus-fallback'
import { ImportPreview } from './import-preview'
import { ImportReport } from './import-report'
import { type ImportProgress, useImport } from './use-import'

interface ImportDialogProps {
  open: boolean
  onClose: () => void
}

/** Imports a file of addresses after a preview, and shows which lines failed. Importing the same file again is harmless. */
export function ImportDialog({ open, onClose }: ImportDialogProps) {
  const { file, columns, preview, report, failure, looking, stale, busy, ...more } = useImport()
  const { partial, progress, stopping, choose, correct, stopLooking, start, stop } = more
  const [over, setOver] = useState(false)

  const submit = (event: FormEvent) => {
    event.preventDefault()
    void start()
  }
  const drag = (event: DragEvent) => {
    event.preventDefault()
    setOver(true)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    choose(event.dataTransfer.files[0])
  }

  return (
    <Dialog
      open={open}
      size="page"
      title="Import a CSV file"
      description="A CSV file of up to 200 MiB, as spreadsheets and other tools write it. Addresses already on the waitlist stay as they are. Nobody gets an email, not even approved people: they have access when they sign in."
      onClose={onClose}
    >
      <DialogForm
        name="import_waitlist_users"
        onSubmit={submit}
        onDragOver={drag}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <DropZone data-over={over || undefined}>
          <chakra.input
            type="file"
            className="visually-hidden"
            aria-label="CSV file"
            accept=".csv,.tsv,.txt,text/csv"
            aria-disabled={busy || undefined}
            onClick={(event) => busy && event.preventDefault()}
            onChange={(event) => {
              choose(event.target.files?.[0])
              // The same file can be chosen again, after it was fixed.
              event.target.value = ''
            }}
          />
          <Text fontWeight={600} overflowWrap="anywhere" textWrap="balance">
            {file ? `${file.name} (${formatBytes(file.size)})` : 'Choose a file, or drop it here'}
          </Text>
          {file && (
            <Text color="muted" fontSize="sm" textWrap="balance">
              Choose or drop another to replace it
            </Text>
          )}
        </DropZone>
        {failure && (
          <Box mt="4">
            <Alert>{failure}</Alert>
          </Box>
        )}
        {preview && !report && (
          <Box mt="6">
            {partial && (
              <Text mb="4" color="muted" fontSize="sm">
                The file is long: this preview, with its numbers, is of the beginning, at most
                25,000 lines. The import reads all of it.
              </Text>
            )}
            <ImportPreview preview={preview} chosen={columns} onCorrect={correct} />
          </Box>
        )}
        <Box role="status" mt={report ? '6' : '0'}>
          {looking && <span className="visually-hidden">Reading the file...</span>}
          {busy && <span className="visually-hidden">Importing...</span>}
          {report && preview && <ImportReport report={report} dayFirst={preview.dayFirst} />}
        </Box>
        {looking && <Step label="Reading the file" event="stop_preview" onStop={stopLooking} />}
        {progress && (
          <Step
            label="Imported"
            progress={progress}
            event="stop_import"
            stopping={stopping}
            onStop={stop}
          />
        )}
        <Flex wrap="wrap-reverse" justify="flex-end" gap="3" mt="6">
          <Button variant="secondary" data-event="close_dialog" onClick={onClose}>
            Close
          </Button>
          <Button
            type="submit"
            disabled={!preview || stale}
            pending={busy}
            data-event="import_waitlist"
          >
            {busy ? 'Importing...' : report ? 'Import again' : 'Import'}
          </Button>
        </Flex>
      </DialogForm>
    </Dialog>
  )
}

interface StepProps {
  label: string
  /** Left out where nobody knows how far it is. */
  progress?: ImportProgress
  event: string
  stopping?: boolean
  onStop: () => void
}

/** Something long that can be stopped. Its end takes the focus to the dialog's title. */
function Step({ label, progress, event, stopping, onStop }: StepProps) {
  const part = useRef<HTMLDivElement>(null)
  useFocusFallback(part, (element) => element.closest('dialog')?.querySelector('h2'))
  return (
    <Flex ref={part} mt="6" gap="4" align="center">
      <chakra.progress flex="1" aria-label={label} max={progress?.size} value={progress?.read} />
      <Button
        variant="secondary"
        size="dense"
        data-event={event}
        pending={stopping}
        onClick={onStop}
      >
        Stop
      </Button>
    </Flex>
  )
}

const DropZone = chakra('label', {
  base: {
    display: 'flex',
    flexDirection: 'column',
    alignItems: 'center',
    gap: '1',
    px: '6',
    py: '8',
    textAlign: 'center',
    border: '1px dashed {colors.line-strong}',
    borderRadius: 'lg',
    cursor: 'pointer',
    _hover: { borderColor: 'ink' },
    _focusWithin: { outline: '2px solid {colors.focus}', outlineOffset: '2px' },
    '&[data-over]': { borderColor: 'ember', bg: 'ember-wash' },
  },
})
