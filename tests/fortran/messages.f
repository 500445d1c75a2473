C     What GEOMS writes on the unit of IOPT(2), read back: the code and
C     what is wrong; corrections in a success; nothing without a unit.
      PROGRAM MESSAG
      IMPLICIT NONE
      INTEGER LUN
      PARAMETER (LUN=13)
      INTEGER IDID,LINES
      CHARACTER*200 TEXT(9)
      OPEN(UNIT=LUN,STATUS='SCRATCH')
C     a wrong option
      CALL RUN(LUN,2.0D0,0,IDID)
      CALL READ(LUN,TEXT,LINES)
      CALL EXPECT(IDID.EQ.-1001,'IDID of a wrong option')
      CALL EXPECT(LINES.EQ.2,'two lines')
      CALL EXPECT(INDEX(TEXT(1),'GEOMS: IDID = -1001').EQ.1,'the code')
      CALL EXPECT(INDEX(TEXT(2),'ROPT(2), SAFE, is').GT.0,'the option')
C     IDID of an earlier call
      CALL RUN(LUN,0.0D0,-1001,IDID)
      CALL READ(LUN,TEXT,LINES)
      CALL EXPECT(IDID.EQ.-1002,'IDID of a negative IDID')
      CALL EXPECT(INDEX(TEXT(1),'GEOMS: IDID = -1002').EQ.1,'its code')
C     a success says what was corrected, with numbers counted from 1
      CALL RUN(LUN,0.0D0,0,IDID)
      CALL READ(LUN,TEXT,LINES)
      CALL EXPECT(IDID.EQ.0,'IDID of a success')
      CALL EXPECT(LINES.EQ.1,'one line')
      CALL EXPECT(INDEX(TEXT(1),'p(1) by 0.1').GT.0,'the correction')
C     no unit
      CALL RUN(0,2.0D0,0,IDID)
      CALL READ(LUN,TEXT,LINES)
      CALL EXPECT(IDID.EQ.-1001,'IDID without a unit')
      CALL EXPECT(LINES.EQ.0,'no lines')
      CLOSE(LUN)
      END

C     Reads what was written since the last call and forgets it.
      SUBROUTINE READ(LUN,TEXT,LINES)
      IMPLICIT NONE
      INTEGER LUN,LINES
      CHARACTER*200 TEXT(9)
      REWIND(LUN)
      LINES=0
   10 READ(LUN,'(A)',END=20) TEXT(LINES+1)
      LINES=LINES+1
      IF (LINES.LT.9) GOTO 10
   20 REWIND(LUN)
      ENDFILE(LUN)
      REWIND(LUN)
      END

      SUBROUTINE EXPECT(OK,TEXT)
      IMPLICIT NONE
      LOGICAL OK
      CHARACTER*(*) TEXT
      IF (OK) RETURN
      WRITE(6,'(2A)') 'not as expected: ',TEXT
      STOP 1
      END

C     A pendulum at rest beside its pivot, 0.1 too far away.
      SUBROUTINE RUN(LUN,SAFE,IDID0,IDID)
      IMPLICIT NONE
      INTEGER LUN,IDID0,IDID,I,IOPT(40),IWORK(20),IPAR(1),IERR
      DOUBLE PRECISION SAFE,X(5),T,H,ROPT(40),RWORK(25),RPAR(1)
      EXTERNAL NOCOND,EOM,MAS,NOJAC,NOSOL
      DO 10 I=1,40
        IOPT(I)=0
        ROPT(I)=0.0D0
   10 CONTINUE
      IOPT(2)=LUN
      ROPT(2)=SAFE
      DO 20 I=1,5
        X(I)=0.0D0
   20 CONTINUE
      X(4)=1.1D0
      T=0.0D0
      H=0.01D0
      IERR=0
      IDID=IDID0
      CALL GEOMS(2,2,0,0,0,1,0,0,7,5,0,X,T,0.1D0,H,1.0D-6,1.0D-6,0,
     #           IOPT,ROPT,NOCOND,EOM,MAS,NOJAC,0,NOSOL,0,
     #           20,IWORK,25,RWORK,RPAR,IPAR,IERR,IDID)
      END

      SUBROUTINE EOM(M,N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),RDA(M),ROPT(*),RPAR(*)
      RDA(4)=-2.0D0*X(4)*X(1)
      RDA(5)=-2.0D0*X(5)*X(1)-9.81D0
      RDA(1)=2.0D0*(X(2)**2+X(3)**2+X(4)*RDA(4)+X(5)*RDA(5))
      RDA(2)=2.0D0*(X(4)*X(2)+X(5)*X(3))
      RDA(3)=X(4)**2+X(5)**2-1.0D0
      RDA(6)=X(2)
      RDA(7)=X(3)
      END

      SUBROUTINE MAS(T,NX,X,M,N,MA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER NX,M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(NX),MA(M,N),ROPT(*),RPAR(*)
      MA(1,1)=1.0D0
      MA(2,2)=1.0D0
      END

      SUBROUTINE NOCOND(N,T,X,NCOND,COND,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER N,NCOND,IPAR(*),IERR
      DOUBLE PRECISION T,X(N),COND(*),RPAR(*)
      END

      SUBROUTINE NOJAC(M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,T,X,
     #                 FX1,FX2,FX3,FX4,FX5,FX6,IOPT,ROPT,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),FX1(*),FX2(*),FX3(*),FX4(*),FX5(*),FX6(*),
     #                 ROPT(*),RPAR(*)
      END

      SUBROUTINE NOSOL(NACCPT,TOLD,T,X,N,NN2,NN3,NN4,CONTX,H,C1M1,C2M1,
     #                 RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER NACCPT,N,NN2,NN3,NN4,IPAR(*),IERR
      DOUBLE PRECISION TOLD,T,X(N),CONTX(NN4),H,C1M1,C2M1,RPAR(*)
      END
