C     A truck whose loading area is hinged to the chassis drives over a
C     hump (Eich-Soellner and Fuehrer, Numerical Methods in Multibody
C     Dynamics). Forces of seven spring-dampers, derivatives by
C     differences, one tolerance per unknown: the hinge forces are of
C     size 1.0D5, the positions of size 1.
C
C       x = (lambda(2), v(9), p(9)), p = (rear wheel height; chassis
C       height, angle; front wheel height; cabin height, angle; loading
C       area x, y, angle)
C
C     It starts in equilibrium. The reference at t = 5 comes from two
C     independent integrators.
      PROGRAM TRUCK
      IMPLICIT NONE
      INTEGER N,M,LRWORK
      PARAMETER (N=20,M=24,LRWORK=5*N)
      INTEGER IOPT(40),IWORK(20),IPAR(1),IERR,IDID,I
      DOUBLE PRECISION X(N),T,H,RTOL(N),ATOL(N),ROPT(40),RWORK(LRWORK),
     #                 RPAR(1),START(9),REF(9),ERR
      EXTERNAL NOCOND,EOM,MAS,NOJAC,NOSOL
      DATA START /0.5D0,2.0D0,0.0D0,0.5D0,2.9D0,0.0D0,-1.46D0,2.9D0,
     #            0.0D0/
      DATA REF /5.9382476290077D-01,2.1006968416427D+00,
     #          4.6179840761666D-03,6.0330930225800D-01,
     #          3.0134496136853D+00,4.6198498707044D-03,
     #          -1.4641818342790D+00,2.9940324583356D+00,
     #          4.6724167753101D-03/
      DO 10 I=1,40
        IOPT(I)=0
        ROPT(I)=0.0D0
   10 CONTINUE
      IOPT(2)=6
      IOPT(15)=4
      DO 20 I=1,N
        X(I)=0.0D0
        RTOL(I)=1.0D-8
        ATOL(I)=1.0D-8
   20 CONTINUE
      ATOL(1)=1.0D-3
      ATOL(2)=1.0D-3
      DO 30 I=1,9
        X(11+I)=START(I)
   30 CONTINUE
      T=0.0D0
      H=1.0D-3
      IERR=0
      IDID=0
      CALL GEOMS(9,9,0,0,0,2,0,0,M,N,0,X,T,5.0D0,H,RTOL,ATOL,1,
     #           IOPT,ROPT,NOCOND,EOM,MAS,NOJAC,0,NOSOL,0,
     #           20,IWORK,LRWORK,RWORK,RPAR,IPAR,IERR,IDID)
      WRITE(6,'(A,I6,A,I6,A,I6)') 'IDID =',IDID,', steps',IWORK(1),
     #                            ', Newton iterations',IWORK(8)
      WRITE(6,'(A,2F12.2)') 'hinge forces ',X(1),X(2)
      ERR=0.0D0
      DO 40 I=1,9
        ERR=MAX(ERR,ABS(X(11+I)-REF(I)))
   40 CONTINUE
      WRITE(6,'(A,1PE9.1)') 'error of the positions at t = 5',ERR
      IF (IDID.NE.0 .OR. .NOT.(ERR.LT.1.0D-6)) STOP 1
      END

C     RDA = (gII | gI | g | f_dyn | f_kin) with M = diag(MASS). Hinge:
C     g = (p7,p8) + R(p9) (CX,CY) - (0,p2) - R(p3) (AX,AY)
      SUBROUTINE EOM(M,N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER M,N,IOPT(*),IPAR(*),IERR,I
      DOUBLE PRECISION T,X(N),RDA(M),ROPT(*),RPAR(*)
      DOUBLE PRECISION F(9),A(9),D1,D2,E1,E2,MASS,P(9),V(9)
      DO 10 I=1,9
        V(I)=X(2+I)
        P(I)=X(11+I)
   10 CONTINUE
C     (D1,D2) = R(p3) a, (E1,E2) = R(p9) c
      CALL ROTATE(P(3),-3.07D0,0.15D0,D1,D2)
      CALL ROTATE(P(9),-1.61D0,-0.75D0,E1,E2)
      CALL FORCES(T,P,V,F)
C     minus the transposed derivative of g times lambda
      F(2)=F(2)+X(2)
      F(3)=F(3)-D2*X(1)+D1*X(2)
      F(7)=F(7)-X(1)
      F(8)=F(8)-X(2)
      F(9)=F(9)+E2*X(1)-E1*X(2)
      DO 20 I=1,9
        A(I)=F(I)/MASS(I)
   20 CONTINUE
      RDA(1)=A(7)-E2*A(9)+D2*A(3)-E1*V(9)**2+D1*V(3)**2
      RDA(2)=A(8)+E1*A(9)-A(2)-D1*A(3)-E2*V(9)**2+D2*V(3)**2
      RDA(3)=V(7)-E2*V(9)+D2*V(3)
      RDA(4)=V(8)+E1*V(9)-V(2)-D1*V(3)
      RDA(5)=P(7)+E1-D1
      RDA(6)=P(8)+E2-P(2)-D2
      DO 30 I=1,9
        RDA(6+I)=F(I)
        RDA(15+I)=V(I)
   30 CONTINUE
      END

C     Gravity, and the spring-dampers: the tension K l + C l' + B along
C     the line of length l between two points. A point is (coordinate
C     numbers of x, y, angle; x where it is fixed; place on the body;
C     the time at which its road rises). Number 0: fixed, on the road.
      SUBROUTINE FORCES(T,P,V,F)
      IMPLICIT NONE
      INTEGER I,J,NUM(3,2,7)
      DOUBLE PRECISION T,P(9),V(9),F(9),MASS,PLACE(4,2,7),K(7),C(7),
     #                 B(7),XY(2,2),W(2,2),ARM(2,2),DX,DY,L,TEN,FX,FY
      DATA NUM /0,0,0, 0,1,0,  0,1,0, 0,2,3,  0,4,0, 0,2,3,
     #          0,0,0, 0,4,0,  0,2,3, 0,5,6,  0,2,3, 0,5,6,
     #          0,2,3, 7,8,9/
      DATA PLACE
     #  /-2.06D0,2*0.0D0,0.43333333333333333D0, -2.06D0,3*0.0D0,
     #   -2.06D0,3*0.0D0, 0.0D0,-2.06D0,-1.34D0,0.0D0,
     #   2.44D0,3*0.0D0, 0.0D0,2.44D0,-1.34D0,0.0D0,
     #   2.44D0,2*0.0D0,0.13333333333333333D0, 2.44D0,3*0.0D0,
     #   0.0D0,1.94D0,2*0.0D0, 2.74D0,-0.8D0,2*0.0D0,
     #   0.0D0,3.64D0,2*0.0D0, 2.74D0,0.9D0,2*0.0D0,
     #   0.0D0,0.98D0,2*0.0D0, 0.0D0,2.44D0,2*0.0D0/
      DATA K /4.4D6,824700.0D0,271100.0D0,2.2D6,2*135700.0D0,9.0D5/
      DATA C /600.0D0,21593.0D0,38537.0D0,300.0D0,2*12218.0D0,38500.0D0/
      DATA B /-2329145.162D0,-246872.662D0,-84924.838D0,-1147434.838D0,
     #        -127842.88235294D0,-127208.11764706D0,-854905.94111111D0/
      DO 10 I=1,9
        F(I)=0.0D0
        IF (I.LE.2.OR.I.EQ.4.OR.I.EQ.5.OR.I.EQ.8) F(I)=-9.81D0*MASS(I)
   10 CONTINUE
      DO 30 I=1,7
        DO 20 J=1,2
          CALL POINT(T,P,V,NUM(1,J,I),PLACE(1,J,I),XY(1,J),W(1,J),
     #               ARM(1,J))
   20   CONTINUE
        DX=XY(1,2)-XY(1,1)
        DY=XY(2,2)-XY(2,1)
        L=SQRT(DX**2+DY**2)
        TEN=K(I)*L+B(I)+C(I)*
     #      (DX*(W(1,2)-W(1,1))+DY*(W(2,2)-W(2,1)))/L
        FX=TEN*DX/L
        FY=TEN*DY/L
        CALL ADD(F,NUM(1,1,I),ARM(1,1),FX,FY)
        CALL ADD(F,NUM(1,2,I),ARM(1,2),-FX,-FY)
   30 CONTINUE
      END

C     Position XY, velocity W and arm of a point.
      SUBROUTINE POINT(T,P,V,NUM,PLACE,XY,W,ARM)
      IMPLICIT NONE
      INTEGER NUM(3)
      DOUBLE PRECISION T,P(9),V(9),PLACE(4),XY(2),W(2),ARM(2),S
      XY(1)=PLACE(1)
      XY(2)=0.0D0
      W(1)=0.0D0
      W(2)=0.0D0
      ARM(1)=0.0D0
      ARM(2)=0.0D0
      IF (NUM(1).GT.0) THEN
        XY(1)=P(NUM(1))
        W(1)=V(NUM(1))
      END IF
      S=T-PLACE(4)
      IF (NUM(2).GT.0) THEN
        XY(2)=P(NUM(2))
        W(2)=V(NUM(2))
      ELSE IF (S.GT.0.0D0) THEN
        XY(2)=1.0D-3*S**6*EXP(-S)
        W(2)=1.0D-3*S**5*EXP(-S)*(6.0D0-S)
      END IF
      IF (NUM(3).GT.0) THEN
        CALL ROTATE(P(NUM(3)),PLACE(2),PLACE(3),ARM(1),ARM(2))
        XY(1)=XY(1)+ARM(1)
        XY(2)=XY(2)+ARM(2)
        W(1)=W(1)-ARM(2)*V(NUM(3))
        W(2)=W(2)+ARM(1)*V(NUM(3))
      END IF
      END

C     Adds the force (FX,FY) on a point.
      SUBROUTINE ADD(F,NUM,ARM,FX,FY)
      IMPLICIT NONE
      INTEGER NUM(3)
      DOUBLE PRECISION F(9),ARM(2),FX,FY
      IF (NUM(1).GT.0) F(NUM(1))=F(NUM(1))+FX
      IF (NUM(2).GT.0) F(NUM(2))=F(NUM(2))+FY
      IF (NUM(3).GT.0) F(NUM(3))=F(NUM(3))-ARM(2)*FX+ARM(1)*FY
      END

      SUBROUTINE ROTATE(PHI,A,B,X,Y)
      IMPLICIT NONE
      DOUBLE PRECISION PHI,A,B,X,Y
      X=A*COS(PHI)-B*SIN(PHI)
      Y=A*SIN(PHI)+B*COS(PHI)
      END

      DOUBLE PRECISION FUNCTION MASS(I)
      IMPLICIT NONE
      INTEGER I
      DOUBLE PRECISION ALL(9)
      DATA ALL /1450.0D0,3335.0D0,14313.0D0,600.0D0,1100.0D0,948.0D0,
     #          11515.0D0,11515.0D0,33000.0D0/
      MASS=ALL(I)
      END

      SUBROUTINE MAS(T,NX,X,M,N,MA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER NX,M,N,IOPT(*),IPAR(*),IERR,I
      DOUBLE PRECISION T,X(NX),MA(M,N),ROPT(*),RPAR(*),MASS
      DO 10 I=1,M
        MA(I,I)=MASS(I)
   10 CONTINUE
      END

C     There are no conditions (NIVCOND = 0), ...
      SUBROUTINE NOCOND(N,T,X,NCOND,COND,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER N,NCOND,IPAR(*),IERR
      DOUBLE PRECISION T,X(N),COND(*),RPAR(*)
      END

C     ... derivatives come from differences (IJAC = 0), ...
      SUBROUTINE NOJAC(M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,T,X,
     #                 FX1,FX2,FX3,FX4,FX5,FX6,IOPT,ROPT,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),FX1(*),FX2(*),FX3(*),FX4(*),FX5(*),FX6(*),
     #                 ROPT(*),RPAR(*)
      END

C     ... and nothing is printed on the way (IOUT = 0).
      SUBROUTINE NOSOL(NACCPT,TOLD,T,X,N,NN2,NN3,NN4,CONTX,H,C1M1,C2M1,
     #                 RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER NACCPT,N,NN2,NN3,NN4,IPAR(*),IERR
      DOUBLE PRECISION TOLD,T,X(N),CONTX(NN4),H,C1M1,C2M1,RPAR(*)
      END
