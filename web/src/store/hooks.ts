import { useDispatch, useSelector } from 'react-redux'
import type { AppDispatch, RootState } from './store'

/** The typed hooks; features use them instead of react-redux's own. */
export const useAppSelector = useSelector.withTypes<RootState>()
export const useAppDispatch = useDispatch.withTypes<AppDispatch>()
